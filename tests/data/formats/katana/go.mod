module golden

go 1.26.8

require (
	github.com/json-iterator/go v1.1.12
	github.com/projectdiscovery/katana v1.1.2
)

require (
	github.com/PuerkitoBio/goquery v1.8.1 // indirect
	github.com/andybalholm/cascadia v1.3.2 // indirect
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
	golang.org/x/net v0.31.0 // indirect
)
