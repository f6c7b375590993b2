import { Failure } from '../failure.ts'

/** A push address split as encoders want it. */
export interface PushAddress {
  readonly url: string
  /** For "Server" in encoders; no secret. */
  readonly server: string
  /** For "Stream key" in encoders: name and query. A secret. */
  readonly key: string
  /** In ms; null if the address does not say. */
  readonly expires: number | null
}

/** Splits an RTMP push address (1-live Channel, pushUrl). Throws Failure `notOurs`. */
export function splitPushAddress(text: string): PushAddress {
  const parts = /^(rtmps?:\/\/[^/?#\s]+(?:\/[^/?#\s]+)*)\/([^/?#\s]+(?:\?[^#\s]*)?)$/i.exec(text)
  if (!parts?.[1] || !parts[2]) throw new Failure('notOurs', 'the push address is not an rtmp address')
  const query = parts[2].indexOf('?')
  const time = query < 0 ? null : new URLSearchParams(parts[2].slice(query + 1)).get('wsTime')
  return {
    url: text,
    server: parts[1],
    key: parts[2],
    expires: time !== null && /^[1-9][0-9]{9}$/.test(time) ? Number(time) * 1000 : null,
  }
}
