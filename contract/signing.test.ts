import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { callbackSign } from './callbacks/recording.ts'
import { callbackContent, checkSum, curTimePattern, pushSecretContent, signedHeaders } from './signing.ts'

const digest =
  (algorithm: string) =>
  (text: string): string =>
    createHash(algorithm).update(text, 'utf8').digest('hex')
const sha1 = digest('sha1')
const md5 = digest('md5')

describe('the CheckSum of a request', () => {
  it('is the lowercase SHA1 of AppSecret, Nonce and CurTime', () => {
    // printf '%s' 'secret4tgggergigwow3234871700000000' | sha1sum
    expect(checkSum(sha1, 'secret', '4tgggergigwow323487', '1700000000')).toBe(
      '40d9357497e33006f3debe21d7d67d22db8266d7',
    )
    // printf '%s' 'abc' | sha1sum: the first vector of FIPS 180-1, cut into three parts
    expect(checkSum(sha1, 'a', 'b', 'c')).toBe('a9993e364706816aba3e25717850c26c9cd0d89d')
  })

  it('takes the Nonce as UTF-8', () => {
    // printf '%s' 'secret随机1700000000' | sha1sum
    expect(checkSum(sha1, 'secret', '随机', '1700000000')).toBe('ac925a672a85ee9feacf892bee4ae8f1d8b7f5df')
  })

  it('goes into four headers with the key and never with the secret', () => {
    const headers = signedHeaders(sha1, { appKey: 'key', appSecret: 'secret' }, 'n', 1_700_000_000)
    expect(Object.keys(headers)).toEqual(['AppKey', 'Nonce', 'CurTime', 'CheckSum'])
    expect(headers).toMatchObject({ AppKey: 'key', Nonce: 'n', CurTime: '1700000000' })
    expect(JSON.stringify(headers)).not.toContain('secret')
  })

  it.each([
    ['1700000000', true],
    ['01700000000', false],
    ['0170000000', false],
    ['170000000', false],
    ['17000000000', false],
    ['+170000000', false],
    ['1.70000000', false],
    ['1700000000 ', false],
    ['１７００００００００', false],
  ])('has a CurTime of ten digits without a leading zero: %s', (curTime, right) => {
    expect(curTimePattern.test(curTime)).toBe(right)
  })
})

describe('the signature of a callback', () => {
  it('joins all fields by key in plain character order', () => {
    expect(callbackContent({ vid: '2', uid: '1', video_name: 'a', orig_video_key: 'k' }, 'S')).toBe(
      'orig_video_key=k&uid=1&vid=2&video_name=aS',
    )
  })

  it('keeps empty values, Chinese text and separators as they are', () => {
    expect(callbackContent({ b: '', a: '中文', c: 'x&y=z' }, '')).toBe('a=中文&b=&c=x&y=z')
    // printf '%s' 'a=中文&b=&c=x&y=zkey' | md5sum
    expect(md5(callbackContent({ b: '', a: '中文', c: 'x&y=z' }, 'key'))).toBe('20c79dd2075fa7d9b2ec816a03a0562b')
  })
})

describe('the signature of a recording callback', () => {
  const file = { video_name: '晚会', orig_video_key: '', uid: '1', vid: '2', cid: 'c', nId: 'n' }

  it('covers begin and end of a recorded file, and an empty value', () => {
    // printf '%s' 'beginTime=1800000000000&cid=c&endTime=1800001200000&nId=n&orig_video_key=&uid=1&vid=2&video_name=晚会k' | md5sum
    expect(callbackSign(md5, { ...file, beginTime: '1800000000000', endTime: '1800001200000' }, 'k')).toBe(
      '23ac23dcca1a0f5c8cc9db1ff89de890',
    )
  })

  it('of a merge covers what is there: no begin and no end', () => {
    // printf '%s' 'cid=c&nId=n&orig_video_key=k&uid=1&vid=2&video_name=合集签名 key' | md5sum
    expect(callbackSign(md5, { ...file, video_name: '合集', orig_video_key: 'k' }, '签名 key')).toBe(
      '59692dc705aac1142648ca3c62e0e77c',
    )
  })

  it('joins without escaping, so that a value with & and = signs like two fields: a receiver reads the body and never the joined text', () => {
    // printf '%s' 'a=1&b=2&nId=nk' | md5sum
    expect(callbackSign(md5, { a: '1&b=2', nId: 'n' }, 'k')).toBe('deb134bc3ed2ad49d382fa9166941276')
    expect(callbackSign(md5, { a: '1', b: '2', nId: 'n' }, 'k')).toBe('deb134bc3ed2ad49d382fa9166941276')
  })
})

describe('the secret of a push address', () => {
  it('digests channel key, stream path and expiry without separators', () => {
    expect(pushSecretContent('key', '0123456789abcdef0123456789abcdef', 1_700_000_000)).toBe(
      'key/live/0123456789abcdef0123456789abcdef1700000000',
    )
  })
})
