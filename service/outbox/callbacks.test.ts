import { hash } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { callbackSign, recordingCallback } from '../../contract/callbacks/recording.ts'
import { callbackContent } from '../../contract/signing.ts'
import { membersFault } from '../../contract/validate.ts'
import { startPythonReceiver, type PythonReceiver } from './testing/python-receiver.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { startRig, type Rig } from './testing/rig.ts'
import { waitFor } from './testing/wait.ts'

const md5 = (text: string): string => hash('md5', text, 'hex')

describe('a receiver in the standard library of Python', () => {
  let rig: Rig
  let python: PythonReceiver
  afterEach(async () => {
    python.close()
    await rig.close()
  })

  it.each([
    ['a plain file', {}, 'a key'],
    ['a merge, without begin and end', { merged: true, name: 'best_of' }, 'a key'],
    ['an empty value', { name: '' }, 'a key'],
    ['Chinese text and a key in Chinese', { name: '年度盛典_20270115-080000_20270115-082000' }, '签名密钥'],
    ['characters beyond the first plane', { name: '𠮷野家🎬' }, 'k🔑'],
    ['values with & and =', { name: 'a=1&b=2&sign=x' }, 'k&k=v'],
    ['quotes, backslashes and slashes', { name: '"\\/\u2028' }, '"'],
  ])('verifies the signature of %s', async (_what, file, key) => {
    rig = await startRig()
    python = await startPythonReceiver(key)
    await rig.callbacks.setAddress(rig.uid, python.url)
    await rig.callbacks.setSignKey(rig.uid, key)
    const { nId, body } = await rig.enqueue(file)
    await waitFor('the request', () => python.requests.length === 1)
    const [request] = python.requests
    expect(request).toMatchObject({
      verified: true,
      allText: true,
      chunked: false,
      path: '/recorded?from=sidestage',
      length: String(Buffer.byteLength(body)),
    })
    expect(request!.fields).toMatchObject({ nId, ...('name' in file && { video_name: file.name }) })
    expect(membersFault(recordingCallback, request!.fields)).toBeUndefined()
    expect(
      Object.keys(request!.fields)
        .filter((name) => name.endsWith('Time'))
        .sort(),
    ).toEqual('merged' in file ? [] : ['beginTime', 'endTime'])
  })

  it('finds a signature wrong when the key is another', async () => {
    rig = await startRig()
    python = await startPythonReceiver('theirs')
    await rig.callbacks.setSignKey(rig.uid, 'ours')
    await rig.callbacks.setAddress(rig.uid, python.url)
    await rig.enqueue()
    await waitFor('the request', () => python.requests.length === 1)
    expect(python.requests[0]!.verified).toBe(false)
  })

  it('gets the same message again until it answers 200, then no more', async () => {
    const time = manualClock()
    rig = await startRig({ clock: time })
    python = await startPythonReceiver('key', [500, 301, 204])
    await rig.callbacks.setSignKey(rig.uid, 'key')
    await rig.callbacks.setAddress(rig.uid, python.url)
    const { nId } = await rig.enqueue()
    for (const [index, wait] of [5000, 30_000, 120_000].entries()) {
      await waitFor(`attempt ${index + 1}`, async () => (await rig.entry(nId)).attempts === index + 1)
      time.advance(wait)
    }
    await waitFor('the delivery', async () => (await rig.entry(nId)).state === 'delivered')
    time.advance(86_400_000)
    expect(python.requests.map(({ fields, verified }) => [fields['nId'], verified])).toEqual(
      Array.from({ length: 4 }, () => [nId, true]),
    )
  })
})

describe('the signature of a callback', () => {
  it('is the MD5 of the fields sorted by key, joined, and the key', () => {
    // printf '%s' 'cid=c&nId=n&orig_video_key=o&uid=1&vid=2&video_name=vsecret' | md5sum
    expect(
      callbackSign(md5, { video_name: 'v', vid: '2', uid: '1', orig_video_key: 'o', nId: 'n', cid: 'c' }, 'secret'),
    ).toBe('2efa01bbd236a1f13c6c5b07c1612e65')
    // printf '%s' 'beginTime=1&cid=c&endTime=2&nId=n&orig_video_key=&uid=1&vid=2&video_name=录像secret' | md5sum
    expect(
      callbackSign(
        md5,
        {
          beginTime: '1',
          endTime: '2',
          cid: 'c',
          nId: 'n',
          orig_video_key: '',
          uid: '1',
          vid: '2',
          video_name: '录像',
        },
        'secret',
      ),
    ).toBe('18740bdd95d80f021dc120bac1c6f36a')
  })

  it('cannot tell a value with & and = from two fields, which is why a receiver must parse the body and never the joined text', () => {
    expect(callbackContent({ a: '1&b=2' }, 'k')).toBe(callbackContent({ a: '1', b: '2' }, 'k'))
  })
})
