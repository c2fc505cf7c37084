#ifndef FURROW_OPENSSL_SHIM_H
#define FURROW_OPENSSL_SHIM_H

// SHA-1 and SHA-256 without a provider look-up are "deprecated" in OpenSSL 3, and the fastest by far for short inputs.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Without a callback OpenSSL would ask for the passphrase of an encrypted key on the terminal, and wait.
static inline int openssl_shim_no_passphrase(char *buffer, int size, int writing, void *context) {
    (void)buffer, (void)size, (void)writing, (void)context;
    return -1;
}

// A function pointer to a static inline function cannot be formed in Swift.
static inline EVP_PKEY *openssl_shim_read_private_key(BIO *bio) {
    return PEM_read_bio_PrivateKey(bio, NULL, openssl_shim_no_passphrase, NULL);
}

// EVP_EC_gen is a cast macro over a variadic function.
static inline EVP_PKEY *openssl_shim_generate_p256(void) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
}

// OSSL_PARAM arrays hold pointers into their own function, which Swift cannot promise. `point` has 65 bytes; NULL if it
// does not lie on the curve.
static inline EVP_PKEY *openssl_shim_p256_public_key(const unsigned char *point) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"P-256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, 65),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (context && EVP_PKEY_fromdata_init(context) == 1)
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters);
    EVP_PKEY_CTX_free(context);
    return key;
}

#endif
