import { hash } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { callbackSign, resendAfter } from '../../contract/callbacks/recording.ts'
import { createCallbacks, fileOf, recordingCallbacks, liveKind, recordingKind, type Callbacks } from './callbacks.ts'
import type { Message } from './outbox.ts'
import { someFile, startRig, type Rig } from './testing/rig.ts'

const md5 = (text: string): string => hash('md5', text, 'hex')
let rig: Rig
let callbacks: Callbacks
let put: Message[]
let redirected: object[]
let dropped: object[]
let fault: Error | undefined
let count: number
const random = (bytes: number): Buffer => Buffer.alloc(bytes, ++count)
beforeEach(async () => {
  rig = await startRig()
  // What is tested is what is given to the outbox.
  await rig.outbox.close()
  put = []
  redirected = []
  dropped = []
  fault = undefined
  count = 0
  callbacks = createCallbacks({
    store: rig.store,
    outbox: {
      async put(transaction, message) {
        expect(transaction.isTransaction).toBe(true)
        put.push(message)
        return 'n'
      },
      async redirect(transaction, message) {
        expect(transaction.isTransaction).toBe(true)
        redirected.push(message)
        if (fault) throw fault
      },
      async drop(transaction, message) {
        expect(transaction.isTransaction).toBe(true)
        dropped.push(message)
      },
    },
    random,
  })
})
afterEach(() => rig.close())
const enqueue = (file: Partial<ReturnType<typeof someFile>> = {}) =>
  rig.store.durable((transaction) => callbacks.enqueueCallback(transaction, { ...someFile(rig.uid), ...file }))

it('makes a random key of 16 bytes for each application once, and no address', async () => {
  expect(await callbacks.read(rig.uid)).toMatchObject({ url: null, signKey: '01'.repeat(16) })
  expect(await callbacks.read(rig.otherUid)).toMatchObject({ url: null, signKey: '02'.repeat(16) })
  expect(await callbacks.read(rig.uid)).toMatchObject({ signKey: '01'.repeat(16) })
})

it('queues nothing without an address, and then a body of texts with the id of the message', async () => {
  await enqueue()
  expect(put).toEqual([])
  await callbacks.setAddress(rig.uid, 'http://receiver.example/x')
  await enqueue()
  await enqueue({ merged: true })
  await enqueue({ uid: rig.otherUid })
  expect(put).toMatchObject([
    { uid: rig.uid, kind: recordingKind, url: 'http://receiver.example/x' },
    { uid: rig.uid, kind: recordingKind, url: 'http://receiver.example/x' },
  ])
  expect(put[0]).not.toHaveProperty('line')
  const { uid, cid, name, key } = someFile(rig.uid)
  const fields = { video_name: name, orig_video_key: key, uid: String(uid), vid: '4711', cid, nId: 'id' }
  expect(JSON.parse(put[0]!.body('id'))).toEqual({ ...fields, beginTime: '1800000000000', endTime: '1800001200000' })
  expect(JSON.parse(put[1]!.body('id'))).toEqual(fields)
  expect(fileOf(put[0]!.body('id'))).toBe(4711)
})

it('sets the address with what waits, of the application alone, and neither where that fails', async () => {
  await callbacks.setAddress(rig.uid, 'http://a.example/')
  expect(redirected).toEqual([{ uid: rig.uid, kind: recordingKind, url: 'http://a.example/' }])
  fault = new Error('no database')
  await expect(callbacks.setAddress(rig.uid, 'http://b.example/')).rejects.toThrow('no database')
  expect((await callbacks.read(rig.uid)).url).toBe('http://a.example/')
  expect((await callbacks.read(rig.otherUid)).url).toBeNull()
})

it('sets the key and leaves the address, and the other way round', async () => {
  await callbacks.setSignKey(rig.uid, 'mine')
  expect(redirected).toEqual([])
  await callbacks.setAddress(rig.uid, 'http://a.example/')
  await callbacks.setSignKey(rig.uid, 'other')
  expect(await callbacks.read(rig.uid)).toMatchObject({ url: 'http://a.example/', signKey: 'other' })
  expect((await callbacks.read(rig.otherUid)).signKey).not.toBe('other')
})

it('sets the address of live callbacks with what waits, and drops that without one', async () => {
  await callbacks.setLiveAddress(rig.uid, 'http://a.example/')
  expect(redirected).toEqual([{ uid: rig.uid, kind: liveKind, url: 'http://a.example/' }])
  expect(await callbacks.read(rig.uid)).toMatchObject({ url: null, liveUrl: 'http://a.example/' })
  await callbacks.setLiveAddress(rig.uid, undefined)
  expect(dropped).toEqual([{ uid: rig.uid, kind: liveKind }])
  expect(await callbacks.read(rig.uid)).toMatchObject({ liveUrl: null })
})

it('adds the address of the file to what is sent, by the extension of its storage path', async () => {
  const asked: unknown[] = []
  const kind = recordingCallbacks(rig.store, random, (uid, file) => {
    asked.push([uid, file])
    return `http://media/${file.vid}`
  })
  const logged = (key: string): string => JSON.stringify({ orig_video_key: key, vid: '7', nId: 'n' })
  expect(JSON.parse(kind.body!(1, logged('c_1_2_7-00000.mp4')))).toEqual({
    orig_video_key: 'c_1_2_7-00000.mp4',
    vid: '7',
    nId: 'n',
    origUrl: 'http://media/7',
  })
  kind.body!(1, logged('c_1_2_7-00000.flv'))
  expect(asked).toEqual([
    [1, { vid: 7, format: 0 }],
    [1, { vid: 7, format: 1 }],
  ])
  expect(recordingCallbacks(rig.store, random)).not.toHaveProperty('body')
  expect(kind.resendAfter).toEqual(resendAfter)
})

it('signs the fields of a body with the key of the application', async () => {
  await callbacks.setSignKey(rig.uid, 'mine')
  const kind = recordingCallbacks(rig.store, random)
  const fields = { vid: '7', origUrl: 'http://media/7', cid: 'c' }
  const body = JSON.stringify(fields)
  expect(await kind.headers(rig.uid, body)).toEqual({ sign: callbackSign(md5, fields, 'mine') })
  const { signKey } = await callbacks.read(rig.otherUid)
  expect(await kind.headers(rig.otherUid, body)).toEqual({ sign: callbackSign(md5, fields, signKey) })
})
