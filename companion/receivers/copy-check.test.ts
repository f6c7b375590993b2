import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { reasonOf } from '../../contract/catalogue/reasons.ts'
import { readCopy } from './copy-check.ts'

const hex = (algorithm: string, text: string): string => createHash(algorithm).update(text, 'utf8').digest('hex')
/** The headers of a copy, as the service makes them; written out here, so that both sides of the rule are not the same code. */
const headersOf = (body: string, secret = 'secret', curTime = '1800000000123'): Record<string, string> => {
  const md5 = hex('md5', body)
  return { appkey: 'key', curtime: curTime, md5, checksum: hex('sha1', secret + md5 + curTime) }
}
const strict = { appSecret: 'secret', strict: true } as const
const read = (body: string, headers = headersOf(body), rule: Parameters<typeof readCopy>[2] = strict) =>
  readCopy(Buffer.from(body), headers, rule)

describe('a message copy', () => {
  it('is genuine with the right MD5 and CheckSum, in any letter case, whatever fields are absent', () => {
    for (const body of [
      '{"eventType":"1"}',
      '{"eventType":"1","msgidServer":"7","body":"晚上好 & =🎬"}',
      '{"eventType":"2","accid":"a","clientIp":"::1"}',
      '{"eventType":"4"}',
    ]) {
      expect(read(body)).toMatchObject({
        kind: 'genuine',
        what: 'copy',
        verified: true,
        signed: 1_800_000_000_123,
        fields: JSON.parse(body) as object,
      })
      const { checksum, ...rest } = headersOf(body)
      expect(read(body, { ...rest, checksum: checksum!.toUpperCase() })).toMatchObject({ verified: true })
    }
    expect(read('{"eventType":"1","msgidServer":"7"}')).toMatchObject({ once: '7' })
    expect(read('{"eventType":"2","msgidServer":"7"}')).not.toHaveProperty('once')
  })

  it('is checked by its bytes before anything is read of them', () => {
    const body = '{"eventType":"1"}'
    for (const changed of ['{"eventType":"1"} ', '{"eventType":"3"}', 'not json', ''])
      expect(read(changed, headersOf(body))).toMatchObject({ kind: 'forged', why: reasonOf('copy', 'digest') })
    for (const headers of [
      {},
      { ...headersOf(body), md5: '' },
      { ...headersOf(body), md5: 'z'.repeat(32) },
      { ...headersOf(body), md5: '0'.repeat(31) },
    ])
      expect(read(body, headers)).toMatchObject({ kind: 'forged', why: reasonOf('copy', 'digest') })
    expect(read('not json')).toMatchObject({ kind: 'unreadable', why: reasonOf('copy', 'body') })
  })

  it('is forged with another secret, another time or none', () => {
    const body = '{"eventType":"1"}'
    expect(read(body, headersOf(body, 'other'))).toMatchObject({ kind: 'forged', why: reasonOf('copy', 'checkSum') })
    expect(read(body, { ...headersOf(body), curtime: '1800000000124' })).toMatchObject({
      kind: 'forged',
      why: reasonOf('copy', 'checkSum'),
    })
    expect(read(body, { ...headersOf(body), checksum: '' })).toMatchObject({
      kind: 'forged',
      why: reasonOf('copy', 'checkSum'),
    })
    for (const curtime of ['', '0', '-1', '1e12', '18000000001230000000'])
      expect(read(body, headersOf(body, 'secret', curtime))).toMatchObject({
        kind: 'forged',
        why: reasonOf('copy', 'time'),
      })
  })

  it('is taken unverified where the rule is not known, but never with a wrong MD5', () => {
    const body = '{"eventType":"1","msgidServer":"7"}'
    const loose = { appSecret: 'secret', strict: false } as const
    expect(read(body, headersOf(body, 'other'), loose)).toMatchObject({
      kind: 'genuine',
      what: 'copy',
      verified: false,
      once: '7',
    })
    expect(read(body, { md5: hex('md5', body) }, { ...loose, appSecret: undefined })).toMatchObject({
      kind: 'genuine',
      verified: false,
      signed: undefined,
    })
    expect(read(body, headersOf('{}'), loose)).toMatchObject({ kind: 'forged' })
  })

  it('is no fault when its kind is unknown or it is the probe of an address', () => {
    expect(read('{}')).toMatchObject({ kind: 'genuine', what: 'probe' })
    for (const body of ['{"eventType":"5"}', '{"eventType":"x"}', '{"a":"b"}', '{"eventType":""}'])
      expect(read(body)).toMatchObject({ kind: 'genuine', what: 'ignored', why: reasonOf('copy', 'kind') })
    for (const body of ['[]', 'null', '{"eventType":{"a":1}}', '"x"'])
      expect(read(body)).toMatchObject({ kind: 'unreadable' })
  })
})
