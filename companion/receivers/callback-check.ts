import { createHash, timingSafeEqual } from 'node:crypto'
import { reasonOf, type ReasonOf } from '../../contract/catalogue/reasons.ts'
import { callbackSign, resendAfter } from '../../contract/callbacks/recording.ts'

/** Result of checking a callback. */
export type Reading =
  | { readonly kind: 'genuine'; readonly fields: Readonly<Record<string, string>>; readonly nId: string }
  | {
      readonly kind: 'forged' | 'unreadable'
      readonly fields: Readonly<Record<string, string>>
      readonly why: ReasonOf<'callback'>
    }

const md5 = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex')
const digestShape = /^[0-9a-f]{32}$/
const maxFields = 64

/** TypeScript's reviver type lacks `source`. */
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown

/** Fields of a flat JSON object, otherwise undefined. Numbers keep their text, so that 64-bit ids stay exact. */
export function readFields(body: Uint8Array): Record<string, string> | undefined {
  let value: unknown
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    value = (JSON.parse as ParseWithSource)(text, (_key, one, { source }) =>
      typeof one === 'string' || source === undefined ? one : source,
    )
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const entries = Object.entries(value as Record<string, unknown>)
  if (entries.length > maxFields || !entries.every((entry): entry is [string, string] => typeof entry[1] === 'string'))
    return undefined
  return Object.fromEntries(entries)
}

/** Checks a callback (1-live Events): the signature over the received fields, in any letter case, in constant time. */
export function readCallback(body: Uint8Array, sign: string | undefined, signKey: string): Reading {
  const fields = readFields(body)
  if (!fields) return { kind: 'unreadable', fields: {}, why: reasonOf('callback', 'body') }
  const given = sign?.toLowerCase() ?? ''
  if (!digestShape.test(given))
    return { kind: 'forged', fields, why: reasonOf('callback', sign === undefined ? 'unsigned' : 'sign') }
  if (!timingSafeEqual(Buffer.from(callbackSign(md5, fields, signKey), 'latin1'), Buffer.from(given, 'latin1')))
    return { kind: 'forged', fields, why: reasonOf('callback', 'signature') }
  const nId = fields['nId']
  if (nId === undefined || nId === '' || nId.length > 128)
    return { kind: 'unreadable', fields, why: reasonOf('callback', 'id') }
  return { kind: 'genuine', fields, nId }
}

/** Time in ms after which no resend comes (behaviour.md#recording-callbacks), with an hour of margin. */
export const staleAfter = resendAfter.reduce((sum, wait) => sum + wait, 0) + 3_600_000

/** Whether a message is later than any resend. `firstSeen`: ms. */
export function isStale(fields: Readonly<Record<string, string>>, now: number, firstSeen: number | undefined): boolean {
  const end = Number(fields['endTime'] ?? Number.NaN)
  return now - (firstSeen ?? now) > staleAfter || now - end > staleAfter
}
