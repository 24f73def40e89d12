{{- /* A sidecar (an init container that keeps running): zonewarden starts after the first checkout. */ -}}
{{- define "zonewarden.gitSyncContainer" -}}
- name: git-sync
  image: {{ .Values.gitSync.image }}
  restartPolicy: Always
  args:
    - --root=/zones
    - --link=current
    - --period=30s
    # No limit: the last checkout stays active while Git is unreachable.
    - --max-failures=-1
    # The old checkout stays for a while, so that a load in progress can finish.
    - --stale-worktree-timeout=5m
    - --http-bind=:9465
  envFrom:
    - configMapRef:
        name: {{ include "zonewarden.gitSyncConfigMap" . }}
  ports:
    - name: git-sync
      containerPort: 9465
  # Succeeds after the first checkout.
  startupProbe:
    httpGet:
      path: /
      port: git-sync
    periodSeconds: 2
    failureThreshold: 60
  livenessProbe:
    httpGet:
      path: /
      port: git-sync
    periodSeconds: 30
    timeoutSeconds: 5
    failureThreshold: 5
  resources:
    requests:
      cpu: 10m
      memory: 64Mi
    limits:
      memory: 256Mi
  securityContext:
    {{- include "zonewarden.containerSecurity" . | nindent 4 }}
    # The user of the git-sync image. The pod's fsGroup shares the files.
    runAsUser: 65533
  volumeMounts:
    - name: zones
      mountPath: /zones
    - name: git-sync-tmp
      mountPath: /tmp
    {{- with .Values.gitSync.extraVolumeMounts }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
