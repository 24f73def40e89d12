/** Names of fields by their type, in the words of the documentation. */
const fieldsByType: Readonly<Record<string, string>> = {
  Boolean: `
    cf.api_gateway.auth_id_present cf.api_gateway.fallthrough_detected
    cf.api_gateway.request_violates_schema cf.bot_management.corporate_proxy
    cf.bot_management.js_detection.passed cf.bot_management.signed_agent
    cf.bot_management.static_resource cf.bot_management.verified_bot cf.client.bot
    cf.edge.client_tcp cf.llm.prompt.detected cf.llm.prompt.pii_detected
    cf.llm.prompt.unsafe_topic_detected cf.schema_validation.learned.violated
    cf.schema_validation.uploaded.violated cf.tls_client_auth.cert_chain_rfc9440_too_large
    cf.tls_client_auth.cert_presented cf.tls_client_auth.cert_revoked
    cf.tls_client_auth.cert_rfc9440_too_large cf.tls_client_auth.cert_verified cf.waf.auth_detected
    cf.waf.content_scan.has_failed cf.waf.content_scan.has_malicious_obj
    cf.waf.content_scan.has_obj cf.waf.credential_check.password_leaked
    cf.waf.credential_check.username_and_password_leaked cf.waf.credential_check.username_leaked
    cf.waf.credential_check.username_password_similar http.request.body.truncated
    http.request.headers.truncated http.response.headers.truncated ip.geoip.is_in_european_union
    ip.src.is_in_european_union ssl`,
  Integer: `
    cf.bot_management.score cf.edge.l4.delivery_rate cf.edge.server_port
    cf.llm.prompt.injection_score cf.llm.prompt.token_count cf.response.1xxx_code cf.threat_score
    cf.timings.client_quic_rtt_msec cf.timings.client_tcp_rtt_msec cf.timings.edge_msec
    cf.timings.origin_ttfb_msec cf.timings.worker_msec cf.tls_client_hello_length
    cf.waf.content_scan.num_malicious_obj cf.waf.content_scan.num_obj cf.waf.score cf.waf.score.rce
    cf.waf.score.sqli cf.waf.score.xss http.request.body.size http.request.timestamp.msec
    http.request.timestamp.sec http.response.code ip.geoip.asnum ip.src.asnum`,
  IP: `
    cf.edge.server_ip ip.src`,
  String: `
    cf.bot_management.ja3_hash cf.bot_management.ja4 cf.hostname.metadata cf.random_seed cf.ray_id
    cf.response.error_type cf.tls_cipher cf.tls_ciphers_sha1 cf.tls_client_auth.cert_chain_rfc9440
    cf.tls_client_auth.cert_fingerprint_sha1 cf.tls_client_auth.cert_fingerprint_sha256
    cf.tls_client_auth.cert_issuer_dn cf.tls_client_auth.cert_issuer_dn_legacy
    cf.tls_client_auth.cert_issuer_dn_rfc2253 cf.tls_client_auth.cert_issuer_serial
    cf.tls_client_auth.cert_issuer_ski cf.tls_client_auth.cert_not_after
    cf.tls_client_auth.cert_not_before cf.tls_client_auth.cert_rfc9440
    cf.tls_client_auth.cert_serial cf.tls_client_auth.cert_ski cf.tls_client_auth.cert_subject_dn
    cf.tls_client_auth.cert_subject_dn_legacy cf.tls_client_auth.cert_subject_dn_rfc2253
    cf.tls_client_extensions_sha1 cf.tls_client_extensions_sha1_le cf.tls_client_random
    cf.tls_version cf.verified_bot_category cf.waf.score.class cf.worker.upstream_zone cf.zone.name
    cf.zone.plan http.cookie http.host http.referer http.request.body.mime http.request.body.raw
    http.request.full_uri http.request.method http.request.uri http.request.uri.path
    http.request.uri.path.extension http.request.uri.query http.request.version
    http.response.content_type.media_type http.user_agent http.x_forwarded_for ip.geoip.city
    ip.geoip.continent ip.geoip.country ip.geoip.region ip.geoip.subdivision_1_iso_code
    ip.geoip.subdivision_2_iso_code ip.src.city ip.src.continent ip.src.country ip.src.lat
    ip.src.lon ip.src.metro_code ip.src.postal_code ip.src.region ip.src.region_code
    ip.src.subdivision_1_iso_code ip.src.subdivision_2_iso_code ip.src.timezone.name
    raw.http.request.full_uri raw.http.request.uri raw.http.request.uri.path
    raw.http.request.uri.path.extension raw.http.request.uri.query`,
  "Array<Integer>": `
    cf.bot_management.detection_ids cf.waf.content_scan.obj_sizes
    http.request.jwt.claims.exp.sec.values http.request.jwt.claims.iat.sec.values
    http.request.jwt.claims.nbf.sec.values`,
  "Array<String>": `
    cf.llm.prompt.pii_categories cf.llm.prompt.unsafe_topic_categories
    cf.waf.content_scan.obj_results cf.waf.content_scan.obj_types http.request.accepted_languages
    http.request.body.form.names http.request.body.form.values http.request.body.multipart.values
    http.request.headers.names http.request.headers.values http.request.jwt.claims.aud.names
    http.request.jwt.claims.aud.values http.request.jwt.claims.exp.sec.names
    http.request.jwt.claims.iat.sec.names http.request.jwt.claims.iss.names
    http.request.jwt.claims.iss.values http.request.jwt.claims.jti.names
    http.request.jwt.claims.jti.values http.request.jwt.claims.nbf.sec.names
    http.request.jwt.claims.sub.names http.request.jwt.claims.sub.values
    http.request.uri.args.names http.request.uri.args.values http.response.headers.names
    http.response.headers.values raw.http.request.uri.args.names raw.http.request.uri.args.values
    raw.http.response.headers.names raw.http.response.headers.values`,
  "Array<Array<String>>": `
    http.request.body.multipart.content_dispositions
    http.request.body.multipart.content_transfer_encodings
    http.request.body.multipart.content_types http.request.body.multipart.filenames
    http.request.body.multipart.names`,
  "Map<Integer>": `
    cf.llm.prompt.custom_topic_categories`,
  "Map<Array<Integer>>": `
    http.request.jwt.claims.exp.sec http.request.jwt.claims.iat.sec http.request.jwt.claims.nbf.sec`,
  "Map<Array<String>>": `
    http.request.body.form http.request.body.multipart http.request.cookies http.request.headers
    http.request.jwt.claims.aud http.request.jwt.claims.iss http.request.jwt.claims.jti
    http.request.jwt.claims.sub http.request.uri.args http.response.headers
    raw.http.request.uri.args raw.http.response.headers`,
};

/** Fields that the documentation or other tools have, and the public engine does not. */
export const documentedFields: ReadonlySet<string> = new Set(
  namesIn(`
  cf.bot_management.signed_agent cf.schema_validation.learned.violated
  cf.schema_validation.uploaded.violated http.request.jwt.claims.exp.sec
  http.request.jwt.claims.exp.sec.names http.request.jwt.claims.exp.sec.values
  http.response.headers.truncated ip.geoip.city ip.geoip.region
`),
);

/**
 * Public fields of the rules language with their types (SERVICE.md D); the service may know more.
 */
export const expressionFields: ReadonlyMap<string, string> = new Map(
  Object.entries(fieldsByType).flatMap(([type, names]) =>
    namesIn(names).map((name): [string, string] => [name, type]),
  ),
);

/** The name of a field, of one with an old name the new one. */
export function aliasOf(field: string): string {
  return field.replace(/^ip\.geoip\./, "ip.src.");
}

/** Whether a field is known only when the origin has answered. */
export function isResponseField(field: string): boolean {
  return /^(raw\.)?http\.response\.|^cf\.response\./.test(field);
}

function namesIn(text: string): readonly string[] {
  return Array.from(text.matchAll(/\S+/g), ([name]) => name);
}
