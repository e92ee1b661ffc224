#!/bin/sh
# Makes the certificates with weak signatures or keys that the TLS tests refuse. Keys are for tests only.
set -eu
days=36500
openssl req -x509 -newkey rsa:2048 -nodes -keyout root-key.pem -out root.pem -days $days -sha256 \
    -subj "/CN=Weak Test Root" -addext basicConstraints=critical,CA:TRUE
openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out leaf-key.pem
openssl req -new -key leaf-key.pem -subj "/CN=a.example" -out leaf.csr
printf 'subjectAltName=DNS:a.example\nbasicConstraints=CA:FALSE\n' > leaf.ext
printf 'basicConstraints=critical,CA:TRUE\n' > ca.ext
for hash in sha256 sha1 md5; do
    openssl x509 -req -in leaf.csr -CA root.pem -CAkey root-key.pem -CAcreateserial -days $days -$hash -extfile leaf.ext -out $hash.pem
done
openssl req -new -newkey rsa:1024 -nodes -keyout short-key.pem -subj "/CN=Short" -out short.csr
openssl x509 -req -in short.csr -CA root.pem -CAkey root-key.pem -CAcreateserial -days $days -sha256 -extfile ca.ext -out short.pem
openssl x509 -req -in leaf.csr -CA short.pem -CAkey short-key.pem -CAcreateserial -days $days -sha256 -extfile leaf.ext -out short-leaf.pem
cat short-leaf.pem short.pem > rsa1024-chain.pem
rm -f root-key.pem short-key.pem ./*.csr ./*.ext ./*.srl short.pem short-leaf.pem
