/**
 * Mark of the app's own previews, which are not counted as viewers: a request header with the time in s and an HMAC of
 * it and the channel. It cannot be forged without the AppSecret, and a captured one is valid for its channel and a few
 * minutes only.
 */

/** The header, in lower case. */
export const ownPreviewHeader = 'sidestage-preview'
/** Allowed difference from the service's clock either way, in s. */
export const ownPreviewLifetime = 300
/** Format: seconds since 1970, and a SHA-256 in hexadecimal digits. */
export const ownPreviewPattern = /^([1-9][0-9]{9})\.([0-9a-f]{64})$/

/** Makes the mark; `hmac` returns the lowercase hexadecimal HMAC-SHA256 of a text with a key. */
export const ownPreviewMark = (
  hmac: (key: string, text: string) => string,
  appSecret: string,
  cid: string,
  seconds: number,
): string => `${seconds}.${hmac(appSecret, `preview ${cid} ${seconds}`)}`
