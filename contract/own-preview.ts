/**
 * The mark by which the service knows the app's own previews, so that they are not counted as viewers: a header of a pull request, the time in
 * seconds and a keyed digest of it and the channel. Who does not know the AppSecret cannot hide as one, and a mark that was read on the way is of
 * use for its channel and for a few minutes only.
 */

/** Header that carries the mark, in lower case. */
export const ownPreviewHeader = 'sidestage-preview'
/** Seconds by which the time of a mark may differ from the service's clock, either way. */
export const ownPreviewLifetime = 300
/** Shape of a mark: seconds since 1970, and a SHA-256 in hexadecimal digits. */
export const ownPreviewPattern = /^([1-9][0-9]{9})\.([0-9a-f]{64})$/

/** The mark of a channel's preview; `hmac` gives the lowercase hexadecimal HMAC-SHA256 of a text under a key. */
export const ownPreviewMark = (
  hmac: (key: string, text: string) => string,
  appSecret: string,
  cid: string,
  seconds: number,
): string => `${seconds}.${hmac(appSecret, `preview ${cid} ${seconds}`)}`
