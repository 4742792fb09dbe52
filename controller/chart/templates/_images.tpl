{{- define "lintel.image" -}}
{{- $registry := required "images.registry: name the registry that you pushed lintel-controller, lintel-runtime and lintel-bridge to (they are published nowhere)" .root.Values.images.registry -}}
{{- printf "%s/%s:%s" (trimSuffix "/" $registry) .name (.root.Values.images.tag | default .root.Chart.AppVersion) -}}
{{- end -}}
