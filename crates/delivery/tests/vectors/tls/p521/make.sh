#!/bin/sh
# Makes a root with a key on the curve P-521, and a certificate on P-256 that it issued.
# The root's key is not kept.
set -eu
cd "$(dirname "$0")"
openssl ecparam -name secp521r1 -genkey -noout -out root.key
openssl req -x509 -new -key root.key -sha512 -subj "/CN=Test Root P-521" -days 36500 -out root.pem
openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out leaf.key
openssl req -new -key leaf.key -subj "/CN=a.example" -out leaf.csr
printf "subjectAltName=DNS:a.example\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n" > ext
openssl x509 -req -in leaf.csr -CA root.pem -CAkey root.key -CAcreateserial -days 36500 -sha512 \
    -extfile ext -out leaf.pem
rm -f root.key leaf.csr ext root.srl
mv leaf.key leaf-key.pem
