import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { reasonOf, type ReasonOf } from '../../contract/catalogue/reasons.ts'
import { copyCheckSum, copyHeaders } from '../../contract/callbacks/copy.ts'
import { copyKinds } from '../../contract/operations/copy-kinds.ts'
import { readFields } from './callback-check.ts'

type Fields = Readonly<Record<string, string>>

/** Result of checking a message copy. */
type CopyReading =
  | {
      readonly kind: 'genuine'
      readonly what: 'copy' | 'ignored' | 'probe'
      readonly fields: Fields
      readonly verified: boolean
      readonly why: ReasonOf<'copy'> | null
      /** Identifies duplicates of conversation messages. */
      readonly once?: string
      /** In ms; undefined if absent. */
      readonly signed: number | undefined
    }
  | { readonly kind: 'forged' | 'unreadable'; readonly fields: Fields; readonly why: ReasonOf<'copy'> }

const hex = (algorithm: 'md5' | 'sha1', data: string | Uint8Array): string =>
  createHash(algorithm).update(data).digest('hex')
const same = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one, 'latin1'), Buffer.from(other, 'latin1'))
const header = (headers: IncomingHttpHeaders, name: string): string => {
  const value = headers[name.toLowerCase()]
  return typeof value === 'string' ? value : ''
}
const curTimeShape = /^[1-9][0-9]{9,15}$/
const digestShape = /^[0-9a-f]+$/

/** Checks a copy (3-chatrooms Events), in constant time. Without `strict` a wrong CheckSum is only unverified. */
export function readCopy(
  body: Uint8Array,
  headers: IncomingHttpHeaders,
  { appSecret, strict }: { readonly appSecret: string | undefined; readonly strict: boolean },
): CopyReading {
  const [md5, curTime, checkSum] = [copyHeaders.md5, copyHeaders.curTime, copyHeaders.checkSum].map((name) =>
    header(headers, name),
  ) as [string, string, string]
  const given = md5.toLowerCase()
  const forged = (why: ReasonOf<'copy'>): CopyReading => ({ kind: 'forged', fields: {}, why })
  if (!digestShape.test(given) || !same(hex('md5', body), given)) return forged(reasonOf('copy', 'digest'))
  const timed = curTimeShape.test(curTime)
  if (strict && !timed) return forged(reasonOf('copy', 'time'))
  const verified =
    timed &&
    appSecret !== undefined &&
    digestShape.test(checkSum.toLowerCase()) &&
    same(
      copyCheckSum((text) => hex('sha1', text), appSecret, md5, curTime),
      checkSum.toLowerCase(),
    )
  if (strict && !verified) return forged(reasonOf('copy', 'checkSum'))
  const fields = readFields(body)
  if (!fields) return { kind: 'unreadable', fields: {}, why: reasonOf('copy', 'body') }
  const read = { kind: 'genuine', fields, verified, signed: timed ? Number(curTime) : undefined } as const
  if (Object.keys(fields).length === 0) return { ...read, what: 'probe', why: null }
  const { eventType, msgidServer } = fields
  if (!copyKinds.some((kind) => String(kind) === eventType))
    return { ...read, what: 'ignored', why: reasonOf('copy', 'kind') }
  return {
    ...read,
    what: 'copy',
    why: null,
    ...(eventType === '1' && msgidServer && msgidServer.length <= 64 && { once: msgidServer }),
  }
}
