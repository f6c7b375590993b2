/** Request signing (1-live Authentication, 2-messaging Authentication), with digests of the platform. */

/** Lowercase hexadecimal digest of UTF-8 text. */
export type Digest = (text: string) => string

/** The four headers of a signed request. */
export const signatureHeaders = { appKey: 'AppKey', nonce: 'Nonce', curTime: 'CurTime', checkSum: 'CheckSum' } as const
/** Longest Nonce in characters (1-live Authentication). */
export const maxNonce = 128
/** Difference of CurTime allowed either way, in s (2-messaging Authentication 1; behaviour.md#order-of-checks). */
export const checkSumLifetime = 300
/** Format of CurTime: ten digits, so that Nonce and CurTime cannot be divided differently. */
export const curTimePattern = /^[1-9][0-9]{9}$/

/** CheckSum of a request: lowercase SHA1 of AppSecret + Nonce + CurTime. */
export const checkSum = (sha1: Digest, appSecret: string, nonce: string, curTime: string): string =>
  sha1(appSecret + nonce + curTime)

/** Headers of a signed request. */
export const signedHeaders = (
  sha1: Digest,
  key: { appKey: string; appSecret: string },
  nonce: string,
  seconds: number,
): Record<string, string> => ({
  [signatureHeaders.appKey]: key.appKey,
  [signatureHeaders.nonce]: nonce,
  [signatureHeaders.curTime]: String(seconds),
  [signatureHeaders.checkSum]: checkSum(sha1, key.appSecret, nonce, String(seconds)),
})

/** Text of a recording callback's `sign` (MD5): fields sorted by key and joined, then the key (1-live Events 1). */
export const callbackContent = (fields: Record<string, string>, signKey: string): string =>
  Object.keys(fields)
    .sort()
    .map((key) => `${key}=${fields[key]}`)
    .join('&') + signKey

/** Text of wsSecret (behaviour.md#push-addresses): channel key, stream path, expiry in seconds. */
export const pushSecretContent = (channelKey: string, cid: string, wsTime: number): string =>
  `${channelKey}/live/${cid}${wsTime}`
