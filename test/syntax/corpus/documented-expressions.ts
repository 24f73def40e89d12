/** Expressions as public documentation of the rules language has them, each with the findings it must get. */
export interface ExpressionGroup {
  readonly from: string;
  /** The text, then the codes of its findings in any order; none means that nothing is wrong. */
  readonly expressions: readonly (readonly [text: string, ...codes: string[]])[];
}

const raw = String.raw;

/** From the documentation of the language and of the products that use it. */
export const documentedExpressions: readonly ExpressionGroup[] = [
  {
    from: "rules language: operators",
    expressions: [
      [raw`http.request.uri.path eq "/articles/2008/"`],
      [raw`ip.src ne 203.0.113.0`],
      [raw`cf.threat_score lt 10`],
      [raw`cf.threat_score le 20`],
      [raw`cf.threat_score gt 25`],
      [raw`cf.threat_score ge 60`],
      [raw`http.request.uri.path contains "/articles/"`],
      [raw`http.request.uri.path matches "^/articles/200[7-8]/$"`],
      [raw`http.request.uri.path ~ "^/articles/200[7-8]/$"`],
      [raw`ip.src in { 203.0.113.0 203.0.113.1 }`],
      [raw`ends_with(http.request.uri.path, ".html")`],
      [raw`http.request.uri.path ends_with ".html"`, "EXPR_UNKNOWN_OPERATOR"],
      [raw`lower(http.request.uri.path) contains "/wp-login.php"`],
      [raw`http.request.full_uri wildcard "https://example.com/a/*"`],
      [raw`http.request.full_uri wildcard "*.example.com/*/page.html"`],
      [
        raw`http.request.full_uri wildcard "*.example.com/*" or http.request.full_uri wildcard "example.com/*"`,
      ],
      [raw`http.request.full_uri strict wildcard "https://example.com/A/*"`],
      [raw`http.request.uri.path wildcard "/files/**"`, "EXPR_DOUBLE_STAR"],
      [raw`http.request.uri.path wildcard r"/files/\*/x"`],
      [raw`http.request.uri.path wildcard r"/files/\d"`, "EXPR_BAD_WILDCARD"],
      [raw`not ( http.host eq "www.cloudflare.com" and ip.src in {203.0.113.0/24} )`],
      [raw`http.host eq "www.cloudflare.com" and ip.src in {203.0.113.0/24}`],
      [raw`http.host eq "www.cloudflare.com" xor ip.src in {203.0.113.0/24}`],
      [raw`http.host eq "www.cloudflare.com" or ip.src in 203.0.113.0/24`, "EXPR_UNEXPECTED"],
      [raw`http.host eq "a" && ssl || !ssl ^^ true`],
      [raw`http.host EQ "a"`, "EXPR_UNKNOWN_OPERATOR"],
      [raw`ssl AND true`, "EXPR_UNKNOWN_OPERATOR"],
      [raw`NOT ssl`, "EXPR_UNKNOWN_OPERATOR"],
      [
        raw`(
 (http.host eq "api.example.com" and http.request.uri.path eq "/api/v2/auth") or
 (http.host matches "^(www|store|blog)\.example\.com" and http.request.uri.path contains "wp-login.php") or
 ip.geoip.country in {"CN" "TH" "US" "ID" "KR" "MY" "IT" "SG" "GB"} or ip.geoip.asnum in {12345 54321 11111}
) and not ip.src in {11.22.33.0/24}`,
      ],
    ],
  },
  {
    from: "rules language: values",
    expressions: [
      [raw`http.request.uri.path matches "a\"b"`],
      [raw`http.request.uri.path matches "a\"#b"`],
      [raw`http.request.uri.path matches r#"a"b"#`],
      [raw`http.request.uri.path matches r##"a"#b"##`],
      [raw`http.request.uri.path matches r"/api/login\.aspx$"`],
      [raw`regex_replace(http.host, "a", "\\") eq "\\"`],
      [raw`regex_replace(http.host, "\\\\", "a") eq "a"`],
      [raw`regex_replace(http.host, r"\\", "a") eq "a"`],
      [raw`ssl`],
      [raw`not ssl`],
      [raw`http.request.headers.names[0] == "Content-Type"`],
      [raw`any(http.request.headers.names[*] == "Content-Type")`],
      [raw`any(lower(http.request.headers.names[*])[*] == "content-type")`],
      [raw`any(http.request.headers["accept"][*] == "application/json")`],
      [raw`any(http.request.headers["accept"][*] == "text/plain")`],
      [raw`len(http.request.uri.args["filter"][1]) eq 4`],
      [raw`all(len(http.request.uri.args["filter"][*])[*] in {3 4})`],
      [raw`all(not len(http.request.uri.args["filter"][*])[*] in {3 4})`],
      [raw`len(http.request.uri.args["filter"]) >= 0`, "EXPR_ONLY_DOCUMENTED"],
      [raw`not len(http.request.uri.args["order"]) >= 0`, "EXPR_ONLY_DOCUMENTED"],
      [raw`(ip.src in $office_network)`],
      [raw`http.host in {"example.com" "example.net"}`],
      [raw`ip.src in {198.51.100.1 198.51.100.3..198.51.100.7 192.0.2.0/24 2001:0db8::/32}`],
      [raw`tcp.dstport in {8000..8009 8080..8089}`, "EXPR_UNKNOWN_FIELD"],
      [raw`ip.src in $Office_Network`, "EXPR_BAD_LIST_NAME"],
      [raw`ip.src in $`, "EXPR_BAD_LIST_NAME"],
      [raw`ip.src in $.office`, "EXPR_BAD_LIST_NAME"],
      [raw`ip.src in $cf.malware`],
      [raw`ip.src in $cf.open_proxies`],
    ],
  },
  {
    from: "rules language: functions",
    expressions: [
      [raw`lower(http.host) == "www.cloudflare.com"`],
      [raw`any(url_decode(http.request.body.form.values[*])[*] contains "an xss attack")`],
      [raw`all(http.request.headers["content-type"][*] == "application/json")`],
      [raw`cidr(ip.src, 24, 24) eq 113.10.0.0`],
      [raw`cidr6(ip.src, 24) eq 2001:0000:0000:0000:0000:0000:0000:0000`],
      [raw`concat("String1", " ", "String", "2") eq "String1 String2"`],
      [raw`(any(decode_base64(http.request.headers["client_id"][*])[*] eq "123abc"))`],
      [raw`join(http.request.headers.names, ",") contains "host"`],
      [raw`lookup_json_integer(http.request.body.raw, "version") eq 2`],
      [raw`lookup_json_integer(http.request.body.raw, 1) eq -234`, "EXPR_ONLY_DOCUMENTED"],
      [
        raw`lookup_json_integer(http.request.body.raw, "network_ids", 0) eq 123`,
        "EXPR_ONLY_DOCUMENTED",
      ],
      [raw`lookup_json_string(http.request.body.raw, "company") == "cloudflare"`],
      [
        raw`lookup_json_string(http.request.body.raw, "network", "name") == "cloudflare"`,
        "EXPR_ONLY_DOCUMENTED",
      ],
      [
        raw`lookup_json_string(http.request.body.raw, 1, "network") == "cloudflare"`,
        "EXPR_ONLY_DOCUMENTED",
      ],
      [raw`regex_replace("/foo/bar", "/bar$", "/baz") == "/foo/baz"`, "EXPR_ONLY_DOCUMENTED"],
      [raw`regex_replace("/x", "^/y$", "/mumble") == "/x"`, "EXPR_ONLY_DOCUMENTED"],
      [
        raw`regex_replace("/foo/a/path", "^/foo/([^/]*)/(.*)$", "/bar/${"${2}"}/${"${1}"}") == "/bar/path/a/"`,
        "EXPR_ONLY_DOCUMENTED",
      ],
      [raw`remove_bytes(http.host, "\x2e\x77") eq "cloudflarecom"`],
      [raw`remove_query_args(http.request.uri.query, "country") eq "order=asc"`],
      [raw`split(http.request.headers["x-categories"][0], ",", 64)[0] eq "groceries"`],
      [raw`any(split(http.request.uri.path, "/", 3)[*] eq "api")`],
      [raw`starts_with(http.request.uri.path, "/blog")`],
      [raw`substring(http.request.body.raw, 2, 5) eq "dfg"`],
      [raw`substring(http.request.body.raw, -2) eq "jk"`, "EXPR_ONLY_DOCUMENTED"],
      [raw`substring(http.request.body.raw, 0, -2) eq "asdfgh"`],
      [raw`to_string(cf.bot_management.score) eq "5"`],
      [raw`upper(http.host) eq "WWW.CLOUDFLARE.COM"`],
      [raw`url_decode(http.request.uri.path) matches "(?u)\p{Hangul}+"`],
      [raw`url_decode("%2520", "r") eq " "`, "EXPR_ONLY_DOCUMENTED"],
      [raw`wildcard_replace(http.request.uri.path, "/apps/*", "/${"${1}"}", "s") eq "/calendar"`],
      [
        raw`http.host == "downloads.example.com"
and not is_timed_hmac_valid_v0("mysecretkey", http.request.uri, 100000, http.request.timestamp.sec, 8)`,
        "EXPR_ONLY_DOCUMENTED",
      ],
      [
        raw`is_timed_hmac_valid_v0(
  "mysecretkey",
  concat(
    http.request.uri,
    http.request.headers["timestamp"][0],
    "-",
    http.request.headers["mac"][0]),
  100000,
  http.request.timestamp.sec,
  0
)`,
        "EXPR_ONLY_DOCUMENTED",
      ],
      [raw`encode_base64(http.request.uri.path) eq "L2Fw"`],
      [raw`has_key(http.request.headers, "x-api-key")`],
      [raw`has_value(http.request.headers.names, "x-api-key")`],
      [raw`contains(http.host, "example")`],
      [raw`sha256(http.request.body.raw) eq "abc"`],
      [raw`hmac(http.request.uri.path, "secret", "sha256") eq "abc"`],
      [raw`ip_in_range(ip.src, "10.0.0.0/8")`],
      [raw`bit_slice(http.request.body.raw, 0, 8) gt 0`],
      [raw`is_jwt_valid("51231d16-01f1-48e3-93f8-91c99e81288e")`],
      [raw`uuidv4(cf.random_seed) eq "49887398-6bcf-485f-8899-f15dbef4d1d5"`],
      [raw`lowercase(http.host) eq "a"`, "EXPR_UNKNOWN_FUNCTION"],
      [raw`start_with(http.host, "a")`, "EXPR_UNKNOWN_FUNCTION"],
      [raw`starts_with(http.host "a")`, "EXPR_UNEXPECTED"],
      [raw`starts_with(http.host, "a"`, "EXPR_UNCLOSED"],
      [raw`starts_with(http.host,)`, "EXPR_UNEXPECTED"],
    ],
  },
  {
    from: "rules language: fields reference",
    expressions: [
      [raw`any(http.request.cookies["app"][*] == "test")`],
      [raw`any(raw.http.response.headers["server"][*] == "nginx")`],
      [raw`any(raw.http.response.headers.names[*] == "content-type")`],
      [raw`any(len(raw.http.response.headers.values[*])[*] gt 10)`],
      [raw`any(cf.bot_management.detection_ids[*] eq 33554817)`],
      [
        raw`not cf.bot_management.verified_bot
and not cf.bot_management.static_resource
and not cf.bot_management.corporate_proxy
and cf.bot_management.score lt 30`,
      ],
      [
        raw`(cf.llm.prompt.pii_detected and any(cf.llm.prompt.pii_categories[*] in {"EMAIL_ADDRESS" "BANK_ACCOUNT"}))`,
      ],
      [
        raw`(cf.llm.prompt.unsafe_topic_detected and any(cf.llm.prompt.unsafe_topic_categories[*] in {"S2" "S10"}))`,
      ],
      [raw`(cf.llm.prompt.token_count gt 4000)`],
      [raw`(cf.llm.prompt.custom_topic_categories["competitors"] lt 30)`],
      [raw`any(http.request.uri.args["search"][*] == "red+apples")`],
      [raw`any(http.request.uri.args.names[*] == "search")`],
      [raw`any(http.request.uri.args.values[*] == "red+apples")`],
      [raw`any(http.request.headers["content-type"][*] == "application/json")`],
      [raw`any(http.request.headers.values[*] == "application/json")`],
      [raw`any(len(http.request.headers.values[*])[*] gt 10)`],
      [raw`cf.tls_client_auth.cert_rfc9440 ne ""`],
      [raw`cf.tls_client_auth.cert_rfc9440_too_large`],
      [raw`cf.timings.client_quic_rtt_msec lt 100`],
      [raw`cf.tls_client_hello_length eq 508`],
      [raw`cf.edge.l4.delivery_rate < 100000`],
      [raw`cf.timings.origin_ttfb_msec > 2000`],
      [raw`cf.waf.content_scan.num_obj > 2 and http.request.uri.path eq "/upload"`],
      [raw`any(cf.waf.content_scan.obj_sizes[*] > 512000) and http.request.uri.path eq "/upload"`],
      [raw`any(cf.waf.content_scan.obj_types[*] != "application/pdf") and ssl`],
      [raw`any(cf.waf.content_scan.obj_results[*] in {"suspicious" "infected"})`],
      [raw`any(http.request.body.form["username"][*] == "admin")`],
      [
        raw`http.request.body.mime in {"image/bmp" "image/gif" "image/jpeg" "image/png" "image/tiff"}`,
      ],
      [raw`any(http.request.body.multipart.names[*][0] == "picture")`],
      [
        raw`any(http.request.body.multipart.content_dispositions[*][0] in {"form-data; name=\"username\"" "form-data; name=\"picture\""})`,
      ],
      [raw`http.request.jwt.claims.aud["config"][0] eq "api"`],
    ],
  },
  {
    from: "WAF custom rules: use cases",
    expressions: [
      [raw`(cf.bot_management.verified_bot)`],
      [raw`(cf.bot_management.score eq 1)`],
      [raw`(cf.bot_management.score gt 1 and cf.bot_management.score lt 30)`],
      [raw`(cf.bot_management.score lt 30 and not cf.bot_management.verified_bot)`],
      [
        raw`(cf.bot_management.score lt 30 and not cf.bot_management.verified_bot and not starts_with(http.request.uri.path, "/api"))`,
      ],
      [raw`(cf.bot_management.ja3_hash eq "df669e7ea913f1ac0c0cce9a201a2ec1")`],
      [raw`(cf.bot_management.score lt 2 and http.user_agent contains "App_Name 2.0")`],
      [raw`not (cf.bot_management.static_resource)`],
      [raw`(http.host eq "www.example.com" and not cf.edge.server_port in {80 443})`],
      [
        raw`(lookup_json_string(http.request.headers["x-claims"][0], "user") eq "admin" and cf.waf.score < 40)`,
      ],
      [raw`(not ip.src.country in {"US" "MX"})`],
      [raw`(ip.src.country in {"KP" "IR"} and ip.src.continent ne "T1")`],
      [raw`(ip.src.asnum in {64500 64496} or cf.threat_score > 14)`],
      [raw`(http.request.uri.path matches "^/api/") and not (http.user_agent contains "Mozilla")`],
      [raw`(http.request.uri.path contains "/execute" and http.request.body.size gt 1048576)`],
      [raw`(http.request.uri.query contains "eu")`],
      [
        raw`(http.host eq "api.example.com" and starts_with(http.request.uri.path, "/api/v1/auth/"))`,
      ],
      [
        raw`(http.user_agent contains "GPTBot" or http.user_agent contains "CCbot" or http.user_agent contains "Google-Extended")`,
      ],
      [raw`(http.cookie contains "session=")`],
      [raw`(http.host eq "www.example.com")`],
      [raw`(not http.cookie contains "devaccess=james" and http.host eq "dev.example.com")`],
      [
        raw`(starts_with(http.request.uri.path, "/images")) and (not (any(http.request.headers["via"][*] contains "image-resizing")))`,
      ],
      [
        raw`(http.request.uri.path contains "/wp-content/" and http.request.uri.path contains ".php") or (http.request.uri.path contains "/wp-includes/" and http.request.uri.path contains ".php") or (http.request.uri.path eq "/xmlrpc.php") or (http.request.uri.path contains "wp-config")`,
      ],
      [
        raw`(http.request.full_uri contains "<?php") or (http.cookie contains "<?php") or (http.request.uri.query contains "¼script¾") or (http.request.uri.query contains "$_GLOBALS[")`,
      ],
      [
        raw`(http.request.method eq "POST" and starts_with(http.request.uri.path, "/api/")) or http.request.uri.path matches "^/static/.*"`,
      ],
      [raw`cf.threat_score gt 10 and ip.src in {192.168.0.0/16} and http.host eq "example.com"`],
    ],
  },
  {
    from: "client-side security: content security rules",
    expressions: [
      [raw`true`],
      [raw`false`],
      [raw`http.host eq "example.com"`],
      [raw`http.host eq "shop.example.com" and http.request.uri.path contains "/checkout"`],
      [raw`(http.host eq "www.example.com" and ip.src.country eq "DE")`],
      [raw`starts_with(raw.http.request.uri.path, "/cart")`],
    ],
  },
];
