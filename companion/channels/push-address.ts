import { Failure } from '../failure.ts'

/** A push address split as encoders want it. */
export interface PushAddress {
  readonly url: string
  /** What goes into "Server": everything up to the application, no secret in it. */
  readonly server: string
  /** What goes into "Stream key": name and query. A secret. */
  readonly key: string
  /** Until when it is good in ms, or null where the address does not say so. */
  readonly expires: number | null
}

/** Splits an rtmp or rtmps push address (1-live Channel, pushUrl). Throws Failure `notOurs` for anything else. */
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
