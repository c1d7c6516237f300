// Makes katana.jsonl with Katana's own types and serializer; see ../make.py.
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	jsoniter "github.com/json-iterator/go"
	"github.com/projectdiscovery/katana/pkg/navigation"
)

const html = "<!DOCTYPE html><html><body><p>Größen \"und\" Maße — 日本語 &amp; 😀</p></body></html>"

// The members of Katana's output.Result, whose package needs the whole crawler.
type result struct {
	Timestamp time.Time            `json:"timestamp,omitempty"`
	Request   *navigation.Request  `json:"request,omitempty"`
	Response  *navigation.Response `json:"response,omitempty"`
	Error     string               `json:"error,omitempty"`
}

type golden map[string]any

func write(name string, record result, want golden) {
	value, err := jsoniter.Marshal(&record)
	if err != nil {
		panic(err)
	}
	line := golden{"name": name, "key": nil, "value": string(value), "url": "http://a.example/page",
		"final_url": "", "status": 200, "content_type": "", "charset": "",
		"fetch_time": 1714979289250, "kind": "bytes", "body": "", "problem": ""}
	for field, wanted := range want {
		line[field] = wanted
	}
	text, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
}

func main() {
	at := time.Date(2024, 5, 6, 9, 8, 9, 250000000, time.FixedZone("", 7200))
	get := &navigation.Request{Method: "GET", URL: "http://a.example/page", Tag: "a",
		Attribute: "href", Source: "http://a.example/"}
	headers := navigation.Headers{"Content-Type": "text/html; charset=UTF-8", "Server": "x"}
	raw := "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=UTF-8\r\n\r\n" + html
	body := base64.StdEncoding.EncodeToString([]byte(html))
	plain := golden{"content_type": "text/html", "charset": "utf-8", "body": body}

	write("page", result{at, get, &navigation.Response{StatusCode: 200, Headers: headers,
		Body: html, ContentLength: int64(len(html)), Raw: raw}, ""}, plain)
	write("page without raw", result{at, get, &navigation.Response{StatusCode: 200,
		Headers: headers, Body: html}, ""}, plain)
	write("page in raw alone", result{at, get, &navigation.Response{StatusCode: 200,
		Headers: headers, Raw: raw}, ""},
		golden{"content_type": "text/html; charset=UTF-8", "body": body})
	write("body omitted", result{at, get, &navigation.Response{StatusCode: 200,
		Headers: headers}, ""},
		golden{"content_type": "text/html; charset=UTF-8", "problem": "missing_body"})
	write("404", result{at, get, &navigation.Response{StatusCode: 404, Headers: headers,
		Body: html}, ""}, golden{"content_type": "text/html", "charset": "utf-8", "body": body,
		"status": 404})
	write("failed", result{at, get, nil, "could not request seed URL: context deadline exceeded"},
		golden{"problem": "fetch_failed"})
	write("posted form", result{at, &navigation.Request{Method: "POST",
		URL: "http://a.example/page", Body: "a=b"}, &navigation.Response{StatusCode: 200,
		Headers: headers, Body: html}, ""}, golden{"failure": "not_a_page"})
}
