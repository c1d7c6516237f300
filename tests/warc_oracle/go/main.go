// Writes the same records as WarcWriters.java does, with gowarc: once as they are, once with gzip.
//
//	go run . RECORDS FOLDER
package main

import (
	"bufio"
	"encoding/base64"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/nlnwa/gowarc/v3"
)

func write(lines []string, folder, name string, gzip bool) {
	writer := gowarc.NewWarcFileWriter(
		gowarc.WithCompression(gzip),
		gowarc.WithFileNameGenerator(&gowarc.PatternNameGenerator{
			Directory: folder, Pattern: name, Prefix: "",
		}),
		gowarc.WithMaxFileSize(0))
	for _, line := range lines {
		parts := strings.Split(line, "\t")
		types := map[string]gowarc.RecordType{
			"response": gowarc.Response, "resource": gowarc.Resource,
			"conversion": gowarc.Conversion, "metadata": gowarc.Metadata,
		}
		block, err := base64.StdEncoding.DecodeString(parts[4])
		if err != nil {
			log.Fatal(err)
		}
		builder := gowarc.NewRecordBuilder(types[parts[0]], gowarc.WithNoValidation())
		builder.AddWarcHeader(gowarc.WarcTargetURI, parts[1])
		builder.AddWarcHeader(gowarc.WarcDate, parts[2])
		builder.AddWarcHeader(gowarc.ContentType, parts[3])
		if _, err := builder.Write(block); err != nil {
			log.Fatal(err)
		}
		record, _, err := builder.Build()
		if err != nil {
			log.Fatal(err)
		}
		for _, response := range writer.Write(record) {
			if response.Err != nil {
				log.Fatal(response.Err)
			}
		}
	}
	if err := writer.Close(); err != nil {
		log.Fatal(err)
	}
}

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	var lines []string
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	folder, err := filepath.Abs(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	write(lines, folder, "gowarc.%{ext}s", false)
	write(lines, folder, "gowarc-gzip.%{ext}s", true)
}
