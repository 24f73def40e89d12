{{- /* The labels of every object. */ -}}
{{- define "zonewarden.labels" -}}
app.kubernetes.io/name: zonewarden
app.kubernetes.io/part-of: zonewarden
{{- end -}}

{{- /* The labels by which a component is selected: the name of the component. */ -}}
{{- define "zonewarden.selector" -}}
app.kubernetes.io/name: zonewarden
app.kubernetes.io/component: {{ . }}
{{- end -}}

{{- define "zonewarden.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* zonewarden.yaml: what the pod needs, and above it the values of `config`. */ -}}
{{- define "zonewarden.config" -}}
{{- $needed := include "zonewarden.neededConfig" . | fromYaml -}}
{{- toYaml (mergeOverwrite $needed (deepCopy .Values.config)) -}}
{{- end -}}

{{- define "zonewarden.neededConfig" -}}
mode: {{ ternary "enforce" "observe" .Values.emulator.enabled }}
{{- if .Values.emulator.enabled }}
api:
  base_url: http://zonewarden-emulator:8787/client/v4
  allow_http: true
{{- end }}
credentials:
  - name: main
    token_file: /var/run/secrets/zonewarden/token
desired:
  path: /zones/current/zones
{{- if .Values.ha.enabled }}
store:
  postgres:
    url_file: /var/run/secrets/postgres/url
cluster:
  lease: zonewarden
{{- else }}
store:
  path: /var/lib/zonewarden
{{- end }}
server:
  listen: 0.0.0.0:9464
log:
  format: json
{{- end -}}

{{- define "zonewarden.zonesConfigMap" -}}
{{ .Values.zones.existingConfigMap | default "zonewarden-zones" }}
{{- end -}}

{{- /* Its name changes with its content, so that a change restarts the pods. */ -}}
{{- define "zonewarden.gitSyncConfigMap" -}}
zonewarden-git-sync-{{ .Values.gitSync.environment | toJson | sha256sum | trunc 10 }}
{{- end -}}

{{- define "zonewarden.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop:
    - ALL
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- /* What the pods of every component share. */ -}}
{{- define "zonewarden.podDefaults" -}}
serviceAccountName: zonewarden
enableServiceLinks: false
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* The image, memory and rights of a container that runs the program. */ -}}
{{- define "zonewarden.containerDefaults" -}}
image: {{ include "zonewarden.image" . }}
{{- if ne .Values.image.pullPolicy "IfNotPresent" }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}
resources:
  {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  {{- include "zonewarden.containerSecurity" . | nindent 2 }}
{{- end -}}

{{- /* The variables of a container that reads zonewarden.yaml. */ -}}
{{- define "zonewarden.env" -}}
- name: ZONEWARDEN_CONFIG
  value: /etc/zonewarden/zonewarden.yaml
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Whole directories, not a subPath, which is not updated when a file changes. */ -}}
{{- define "zonewarden.mounts" -}}
- name: config
  mountPath: /etc/zonewarden
  readOnly: true
- name: zones
  mountPath: {{ ternary "/zones" "/zones/current/zones" .Values.gitSync.enabled }}
  readOnly: true
- name: token
  mountPath: /var/run/secrets/zonewarden
  readOnly: true
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "zonewarden.volumes" -}}
- name: config
  configMap:
    name: zonewarden-config
- name: zones
{{- if .Values.gitSync.enabled }}
  emptyDir:
    sizeLimit: 256Mi
{{- else }}
  configMap:
    name: {{ include "zonewarden.zonesConfigMap" . }}
{{- end }}
- name: token
  secret:
    secretName: {{ .Values.token.secretName }}
    # 0440 in octal, which not every parser reads.
    defaultMode: 288
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
