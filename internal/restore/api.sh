# Prints what the API server holds, in sections as the script of a node does.
# One call lists all, for each start of kubectl costs about a second. The
# template leaves the values of secrets where they are. The cache has a place
# where nothing can be written, so that nothing stays.
set -euo pipefail
conf=/etc/kubernetes/admin.conf
printf '\036objects\n'
if [ ! -e "$conf" ]; then
	printf '\037there is no %s\n\036end\n' "$conf"
	exit
fi
if ! command -v kubectl >/dev/null; then
	printf '\037kubectl is not installed\n\036end\n'
	exit
fi
kinds=namespaces,nodes,pods,services,configmaps,secrets,serviceaccounts,persistentvolumes,persistentvolumeclaims
kinds+=,deployments.apps,daemonsets.apps,statefulsets.apps,jobs.batch,cronjobs.batch
kinds+=,endpointslices.discovery.k8s.io,ingresses.networking.k8s.io,ingressclasses.networking.k8s.io,networkpolicies.networking.k8s.io
for kind in roles rolebindings clusterroles clusterrolebindings; do kinds+=,$kind.rbac.authorization.k8s.io; done
kinds+=,customresourcedefinitions.apiextensions.k8s.io,apiservices.apiregistration.k8s.io
for kind in validating mutating; do kinds+=,${kind}webhookconfigurations.admissionregistration.k8s.io; done
kinds+=,storageclasses.storage.k8s.io,priorityclasses.scheduling.k8s.io
# Tab between kind, namespace, name and further fields; newline after each.
kubectl --kubeconfig="$conf" --cache-dir=/proc/none --request-timeout=60s get "$kinds" -A -o go-template='
{{- define "json"}}{{$type := printf "%T" .}}{{$comma := ""}}
{{- if eq $type "map[string]interface {}"}}{ {{- range $k, $v := .}}{{$comma}}{{printf "%q" $k}}:{{template "json" $v}}{{$comma = ","}}{{end -}} }
{{- else if eq $type "[]interface {}"}}[{{range .}}{{$comma}}{{template "json" .}}{{$comma = ","}}{{end}}]
{{- else if eq $type "string"}}{{printf "%q" .}}
{{- else if eq $type "<nil>"}}null
{{- else}}{{.}}{{end}}{{end}}
{{- range .items}}{{$m := .metadata}}{{$at := printf "%s\t%s\t%s" .kind (or $m.namespace "") $m.name}}
{{- $owner := ""}}{{range $m.ownerReferences}}{{$owner = printf "%s/%s" .kind .name}}{{end}}
{{- if eq .kind "Namespace"}}{{$at}}{{"\t"}}{{.status.phase}}
{{else if eq .kind "Node"}}{{range .status.conditions}}{{if eq .type "Ready"}}{{$at}}{{"\t"}}Ready={{.status}}
{{end}}{{end}}{{if .spec.unschedulable}}{{$at}}{{"\t"}}unschedulable
{{end}}{{range .spec.taints}}{{$at}}{{"\t"}}taint {{.key}}={{or .value ""}}:{{.effect}}
{{end}}{{range $k, $v := $m.labels}}{{$at}}{{"\t"}}label {{$k}}={{$v}}
{{end}}{{else if eq .kind "Pod"}}{{$at}}{{"\t"}}{{$owner}}{{"\t"}}{{.status.phase}}{{if $m.deletionTimestamp}} (being deleted){{end}}
{{else if eq .kind "Service"}}{{$at}}{{"\t"}}{{.spec.type}} {{range .spec.clusterIPs}}{{.}} {{end}}{{range .spec.ports}}{{.port}}/{{.protocol}}:{{.targetPort}}{{if .nodePort}}:{{.nodePort}}{{end}} {{end}}
{{- if .spec.externalName}}name={{.spec.externalName}} {{end}}{{range .spec.externalIPs}}external={{.}} {{end}}
{{- if .spec.externalTrafficPolicy}}externalTrafficPolicy={{.spec.externalTrafficPolicy}} {{end}}{{if .spec.internalTrafficPolicy}}internalTrafficPolicy={{.spec.internalTrafficPolicy}} {{end}}
{{- if .spec.loadBalancerIP}}loadBalancerIP={{.spec.loadBalancerIP}} {{end}}sessionAffinity={{.spec.sessionAffinity}}{{range $k, $v := .spec.selector}} {{$k}}={{$v}}{{end}}
{{- with .status.loadBalancer.ingress}}{{range .}} ingress={{or .ip .hostname}}{{end}}{{end}}
{{else if eq .kind "EndpointSlice"}}{{$service := ""}}{{with $m.labels}}{{$service = or (index . "kubernetes.io/service-name") ""}}{{end}}
{{- range .endpoints}}{{$at}}{{"\t"}}{{$service}}{{"\t"}}{{if .conditions.ready}}ready{{else}}not ready{{end}}
{{end}}{{else if eq .kind "ConfigMap"}}{{$at}}{{if eq $m.namespace "kube-system"}}{{"\t"}}{{template "json" .data}}{{end}}
{{else if eq .kind "Secret"}}{{$at}}{{"\t"}}{{.type}}
{{else if or (eq .kind "Deployment") (eq .kind "StatefulSet")}}{{$at}}{{"\t"}}{{or .spec.replicas 0}} wanted, {{or .status.readyReplicas 0}} ready
{{else if eq .kind "DaemonSet"}}{{$at}}{{"\t"}}{{or .status.desiredNumberScheduled 0}} wanted, {{or .status.numberReady 0}} ready{{if and (eq $m.namespace "kube-system") (eq $m.name "kube-proxy")}}{{"\t"}}{{template "json" .spec}}{{end}}
{{else if eq .kind "Job"}}{{$at}}{{"\t"}}{{$owner}}
{{else if eq .kind "APIService"}}{{if .spec.service}}{{$at}}
{{end}}{{else}}{{$at}}
{{end}}{{end}}'

printf '\036end\n'
