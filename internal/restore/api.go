package restore

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// apiSections makes sections of what the control plane's script printed.
func apiSections(_ string, pieces map[string]piece) ([]Section, error) {
	objects, ok := pieces["objects"]
	if !ok {
		return nil, fmt.Errorf("the output has no section %q", "objects")
	}
	if objects.absent != "" {
		return []Section{{Cluster, API, []string{notLookedAt + objects.absent}}}, nil
	}
	return objectSections(objects)
}

// object is one line of the list: kind, namespace, name and what more the
// script's template prints of that kind.
type object struct {
	kind, namespace, name string
	more                  []string
}

func (o object) path() string {
	if o.namespace == "" {
		return o.name
	}
	return o.namespace + "/" + o.name
}

func (o object) field(i int) string {
	if i < len(o.more) {
		return o.more[i]
	}
	return ""
}

func objectSections(p piece) ([]Section, error) {
	found := map[string][]string{ProxyConfig: {"there is none"}, ProxyDaemonSet: {"there is none"}}
	for line := range strings.Lines(p.text) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) < 3 {
			continue
		}
		o := object{fields[0], fields[1], fields[2], fields[3:]}
		if o.path() == "kube-system/kube-proxy" {
			if err := kubeProxy(o, found); err != nil {
				return nil, err
			}
		}
		if section, text := describe(o); text != "" {
			found[section] = append(found[section], text)
		}
	}
	if len(found[Namespaces]) == 0 {
		return nil, fmt.Errorf("the API server lists no namespace")
	}
	found[Endpoints] = counted(found[Endpoints])
	var sections []Section
	for _, name := range clusterSections {
		if name != ProxyConfig { // a file, whose lines have their place
			slices.Sort(found[name])
		}
		sections = append(sections, Section{Cluster, name, append([]string{}, found[name]...)})
	}
	return sections, nil
}

var clusterSections = []string{
	ProxyConfig, ProxyDaemonSet, Namespaces, Nodes, Workloads, KubeServices, Endpoints, Objects, ClusterObjects,
}

// describe says in which section an object belongs, and as what; empty for one
// that comes and goes by itself.
//
// Events, Leases and ControllerRevisions are not even asked for: the first two
// change all the time, and each restart of a DaemonSet leaves one of the third.
func describe(o object) (section, text string) {
	kind := strings.ToLower(o.kind)
	switch o.kind {
	case "Namespace", "Node":
		section := map[string]string{"Namespace": Namespaces, "Node": Nodes}[o.kind]
		return section, o.path() + " " + o.field(0)
	case "Pod":
		return Workloads, pod(o)
	case "Deployment", "StatefulSet", "DaemonSet":
		return Workloads, kind + " " + o.path() + ": " + o.field(0)
	case "Job":
		if strings.HasPrefix(o.field(0), "CronJob/") {
			return "", "" // its name has the time in it
		}
		return Workloads, kind + " " + o.path()
	case "CronJob":
		return Workloads, kind + " " + o.path()
	case "Service":
		return KubeServices, o.path() + " " + o.field(0)
	case "EndpointSlice":
		return Endpoints, o.namespace + "/" + o.field(0) + " " + o.field(1)
	case "ConfigMap":
		return Objects, configMap(o)
	case "Secret":
		// Bootstrap tokens expire, and are removed then.
		if o.field(0) == "bootstrap.kubernetes.io/token" || o.namespace == "kube-system" && o.name == "kubeadm-certs" {
			return "", ""
		}
		return Objects, kind + " " + o.path()
	case "ServiceAccount":
		if o.name == "default" {
			return "", "" // made with each namespace
		}
		return Objects, kind + " " + o.path()
	}
	if o.namespace != "" {
		return Objects, kind + " " + o.path()
	}
	return ClusterObjects, kind + " " + o.name
}

// pod names a Pod by its owner, since its own name is random. A ReplicaSet's name ends
// in a hash of the template, which is the Deployment's matter.
func pod(o object) string {
	kind, owner, owned := strings.Cut(o.field(0), "/")
	switch {
	case !owned:
		return fmt.Sprintf("pod %s: %s", o.path(), o.field(1))
	case kind == "Job":
		return "" // the Job itself has a line
	case kind == "Node":
		owner = o.name // static, and named after its manifest
	case kind == "ReplicaSet":
		if i := strings.LastIndexByte(owner, '-'); i > 0 {
			owner = owner[:i]
		}
	}
	return fmt.Sprintf("pod of %s %s/%s: %s", strings.ToLower(kind), o.namespace, owner, o.field(1))
}

// configMap names a ConfigMap. Of those in kube-system, which configure the
// cluster, the contents count too, save kube-proxy's, which has a section.
func configMap(o object) string {
	if o.name == "kube-root-ca.crt" || strings.Contains(o.name, "leader") && strings.Contains(o.name, "elect") {
		return "" // made with each namespace; written every few seconds
	}
	line := "configmap " + o.path()
	if len(o.more) > 0 && o.path() != "kube-system/kube-proxy" {
		line += fmt.Sprintf(" sha256 %x", sha256.Sum256([]byte(strings.Join(o.more, "\n"))))
	}
	return line
}

// counted puts the number of lines that are the same behind one of them.
func counted(lines []string) []string {
	slices.Sort(lines)
	var out []string
	for len(lines) > 0 {
		n := 1
		for n < len(lines) && lines[n] == lines[0] {
			n++
		}
		out = append(out, fmt.Sprintf("%s: %d", lines[0], n))
		lines = lines[n:]
	}
	return out
}

// restarted is what kubectl rollout restart writes into a template. It stays,
// and has no effect of its own once the Pods are there: a lab that restarts
// kube-proxy, as it must, could never put it back without a restart that writes
// it again. The numbers of revisions and generations are outside of spec.
const restarted = `template.metadata.annotations["kubectl.kubernetes.io/restartedAt"] = `

// kubeProxy takes apart kube-proxy's ConfigMap and DaemonSet; a cluster may do
// without.
func kubeProxy(o object, found map[string][]string) error {
	switch o.kind {
	case "ConfigMap":
		var data map[string]string
		if err := json.Unmarshal([]byte(o.field(0)), &data); err != nil {
			return fmt.Errorf("reading ConfigMap %q: %w", o.path(), err)
		}
		lines := []string{}
		for _, key := range slices.Sorted(maps.Keys(data)) {
			for line := range strings.Lines(data[key]) {
				lines = append(lines, key+": "+strings.TrimSuffix(line, "\n"))
			}
		}
		found[ProxyConfig] = lines
	case "DaemonSet":
		var spec any
		if err := json.Unmarshal([]byte(o.field(1)), &spec); err != nil {
			return fmt.Errorf("reading DaemonSet %q: %w", o.path(), err)
		}
		found[ProxyDaemonSet] = slices.DeleteFunc(leaves("", spec), func(line string) bool { return strings.HasPrefix(line, restarted) })
	}
	return nil
}

// leaves makes a line of each value in a JSON tree: where it is, and what.
func leaves(path string, v any) []string {
	var lines []string
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			at := path + "." + key
			if strings.ContainsAny(key, "./") {
				at = fmt.Sprintf("%s[%q]", path, key)
			}
			lines = append(lines, leaves(strings.TrimPrefix(at, "."), inner)...)
		}
	case []any:
		for i, inner := range v {
			lines = append(lines, leaves(fmt.Sprintf("%s[%d]", path, i), inner)...)
		}
	}
	if len(lines) == 0 {
		content, _ := json.Marshal(v) // it came from JSON
		lines = []string{path + " = " + string(content)}
	}
	return lines
}
