import { hash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loginCopy, messageCopy } from '../../contract/callbacks/copy-builders.ts'
import { copyCheckSum, copyResendAfter, type MessageCopy } from '../../contract/callbacks/copy.ts'
import { startReceiver, type Receiver } from '../outbox/testing/receiver.ts'
import { startRig, type Rig, type RigOptions } from '../outbox/testing/rig.ts'
import { waitFor } from '../outbox/testing/wait.ts'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'

let rig: Rig
let receiver: Receiver
let time: ManualClock
const begin = async (options: RigOptions = {}): Promise<void> => {
  rig = await startRig({ clock: time, ...options })
  if (rig.copies.target(rig.uid).url === undefined) await rig.copies.set(rig.uid, { url: receiver.url, kinds: [1, 2] })
}
const line = (number: number, to = 'bob', from = 'alice'): MessageCopy =>
  messageCopy({
    to,
    from,
    clientType: 'REST',
    at: time.now(),
    msgid: number,
    scene: 'p2p',
    type: 0,
    body: JSON.stringify({ msg: `${number}` }),
  })
/** Queues copies as the stream does: together, in one transaction. */
const put = (copies: readonly MessageCopy[], uid = rig.uid): Promise<void> =>
  rig.store.db.transaction().execute(async (transaction) => {
    await Promise.all(copies.map((copy) => rig.copies.enqueue(transaction, uid, copy)))
  })
const numbers = (from = 1, to = from): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index)
const came = (to?: string): number[] =>
  receiver.received
    .filter(({ fields }) => to === undefined || fields['to'] === to)
    .map(({ fields }) => Number(fields['msgidServer']))
const refuseFor = (wrong: (number: number) => boolean): Receiver['answer'] => {
  return ({ fields }, response) => void response.writeHead(wrong(Number(fields['msgidServer'])) ? 500 : 200).end()
}
/** Log entries of the copies, by number. */
const entries = async (): Promise<Map<number, { state: string; attempts: number; result: string | null }>> =>
  new Map(
    (await rig.outbox.list(rig.uid, 1000, undefined)).map((entry) => [
      Number((JSON.parse(entry.body) as { msgidServer: string }).msgidServer),
      entry,
    ]),
  )
const attempted = (number: number, attempts: number): Promise<void> =>
  waitFor(`attempt ${attempts} of ${number}`, async () => (await entries()).get(number)?.attempts === attempts)
const all = (state: string): Promise<void> =>
  waitFor(state, async () => [...(await entries()).values()].every((entry) => entry.state === state))

beforeEach(async () => {
  time = manualClock()
  receiver = await startReceiver(time)
})
afterEach(async () => {
  await rig.close()
  await receiver.close()
})

describe('a copy', () => {
  it('is one POST with its length and the four headers, made anew for each attempt', async () => {
    await begin()
    receiver.answer = (_request, response) => void response.writeHead(receiver.received.length === 1 ? 500 : 200).end()
    await put([line(1)])
    await attempted(1, 1)
    time.advance(copyResendAfter[0]!)
    await all('delivered')
    const [first, second] = receiver.received
    for (const { headers, body } of [first!, second!]) {
      const md5 = hash('md5', body, 'hex')
      const curTime = String(headers['curtime'])
      expect(headers).toMatchObject({
        appkey: 'a',
        md5,
        checksum: copyCheckSum((text) => hash('sha1', text, 'hex'), 'a', md5, curTime),
        'content-length': String(Buffer.byteLength(body)),
      })
      expect(headers['content-type']).toMatch(/^application\/json/)
      expect(headers['transfer-encoding']).toBeUndefined()
    }
    expect(second!.body).toBe(first!.body)
    expect([first, second].map((one) => Number(one!.headers['curtime']))).toEqual([
      1_800_000_000_000, 1_800_000_005_000,
    ])
  })

  it('is made of active kinds only, and never without an address or of a transaction that was taken back', async () => {
    await begin()
    const login = loginCopy({ login: true, accid: 'bob', clientType: 'WEB', code: 200, at: 1 })
    const logout = loginCopy({ login: false, accid: 'bob', clientType: 'WEB', code: 200, at: 2 })
    expect([1, 2, 3, 4].map((kind) => rig.copies.wants(rig.uid, kind as 1))).toEqual([true, true, false, false])
    expect(rig.copies.wants(rig.otherUid, 1)).toBe(false)
    await put([line(9)], rig.otherUid)
    const back = rig.store.db.transaction().execute(async (transaction) => {
      await rig.copies.enqueue(transaction, rig.uid, line(8))
      throw new Error('taken back')
    })
    await expect(back).rejects.toThrow('taken back')
    await put([login, logout, line(7)])
    await waitFor('two', () => receiver.received.length === 2)
    await all('delivered')
    expect(receiver.received.map(({ fields }) => fields['eventType']).sort()).toEqual(['1', '2'])
    expect(await rig.outbox.list(rig.otherUid, 10, undefined)).toEqual([])
  })

  it('is resent four times, then stays in the log, and can be sent again by hand', async () => {
    await begin()
    receiver.answer = refuseFor(() => true)
    await put([line(1)])
    await attempted(1, 1)
    for (const [index, wait] of copyResendAfter.entries()) {
      time.advance(wait)
      await attempted(1, index + 2)
    }
    await all('failed')
    expect(receiver.received.map(({ at }) => at - receiver.received[0]!.at)).toEqual([
      0, 5000, 35_000, 155_000, 755_000,
    ])
    receiver.answer = refuseFor(() => false)
    const [entry] = await rig.outbox.list(rig.uid, 1, undefined)
    await rig.outbox.resend(entry!.nId, undefined)
    await all('delivered')
  })
})

describe('the copies of a conversation', () => {
  it('come in order and one at a time, whoever spoke, while other conversations go on', async () => {
    await begin()
    let underWay = 0
    let most = 0
    const held: (() => void)[] = []
    receiver.answer = ({ fields }, response) => {
      if (fields['to'] === 'slow') return void held.push(() => response.end())
      most = Math.max(most, ++underWay)
      setImmediate(() => {
        underWay--
        response.end()
      })
    }
    await put([line(1000, 'slow'), line(1001, 'slow')])
    for (const part of [numbers(1, 5), numbers(6, 70), numbers(71, 100)])
      await put(part.map((number) => (number % 2 ? line(number) : line(number, 'alice', 'bob'))))
    await waitFor('the conversation', () => receiver.received.length === 101)
    expect(came().filter((number) => number < 1000)).toEqual(numbers(1, 100))
    expect(most).toBe(1)
    expect(came('slow')).toEqual([1000])
    held[0]!()
    await waitFor('the slow one', () => held.length === 2)
    held[1]!()
    await all('delivered')
  })

  it('go at once after a while, and gather for a moment after one was sent', async () => {
    await begin({ gatherFor: 250 })
    await put([line(1)])
    await all('delivered')
    for (const number of [2, 3]) await put([line(number)])
    await put([line(100, 'eve')])
    await waitFor('another conversation', () => came().includes(100))
    expect(came('bob')).toEqual([1])
    time.advance(250)
    await waitFor('those that gathered', () => came('bob').length === 3)
    await all('delivered')
    expect(came('bob')).toEqual([1, 2, 3])
    time.advance(250)
    await put([line(4)])
    await waitFor('the next', () => came('bob').length === 4)
  })

  it('wait for one that fails, and follow in order when it is delivered', async () => {
    await begin()
    receiver.answer = refuseFor((number) => number === 2 && came().filter((one) => one === 2).length < 3)
    await put(numbers(1, 40).map((number) => line(number)))
    await attempted(2, 1)
    await put([line(500, 'carol')])
    await waitFor('another conversation', () => came('carol').length === 1)
    expect(came('bob')).toEqual([1, 2])
    time.advance(5000)
    await attempted(2, 2)
    time.advance(29_999)
    expect(came('bob')).toEqual([1, 2, 2])
    time.advance(1)
    await all('delivered')
    expect(came('bob')).toEqual([1, 2, 2, 2, ...numbers(3, 40)])
  })

  it('go past one that has failed for 60 s, which keeps to its schedule', async () => {
    await begin()
    receiver.answer = refuseFor((number) => number === 1)
    await put(numbers(1, 20).map((number) => line(number)))
    await attempted(1, 1)
    time.advance(5000)
    await attempted(1, 2)
    time.advance(30_000)
    await attempted(1, 3)
    time.advance(24_999)
    await put([line(500, 'carol')])
    await waitFor('another conversation', () => came('carol').length === 1)
    expect(came('bob')).toEqual([1, 1, 1])
    time.advance(1)
    await waitFor('the others', () => came('bob').length === 22)
    expect(came('bob')).toEqual([1, 1, 1, ...numbers(2, 20)])
    time.advance(95_000)
    await attempted(1, 4)
    time.advance(600_000)
    await waitFor('the end', async () => (await entries()).get(1)?.state === 'failed')
    await put([line(21)])
    await waitFor('the next', () => came('bob').at(-1) === 21)
  })

  it('keep their order over a restart, and past what was passed before', async () => {
    await begin()
    receiver.answer = refuseFor((number) => number === 1 || number === 3)
    await put(numbers(1, 6).map((number) => line(number)))
    await attempted(1, 1)
    for (const wait of [5000, 30_000]) {
      time.advance(wait)
      await waitFor('a resend', () => came('bob').length === (wait === 5000 ? 2 : 3))
      await attempted(1, wait === 5000 ? 2 : 3)
    }
    time.advance(25_000)
    await attempted(3, 1)
    expect(came('bob')).toEqual([1, 1, 1, 2, 3])
    await rig.stop()
    const { dataDir } = rig
    receiver.answer = refuseFor((number) => number === 1)
    await begin({ dataDir })
    await put([line(7), line(500, 'carol')])
    await waitFor('another conversation', () => came('carol').length === 1)
    expect(came('bob')).toEqual([1, 1, 1, 2, 3])
    time.advance(5000)
    await waitFor('the rest', () => came('bob').length === 10)
    expect(came('bob')).toEqual([1, 1, 1, 2, 3, 3, 4, 5, 6, 7])
  })

  it('go to a new address at once when one is set, in order, and end when it is taken away', async () => {
    await begin()
    receiver.answer = refuseFor(() => true)
    await put(numbers(1, 20).map((number) => line(number)))
    await attempted(1, 1)
    const next = await startReceiver(time)
    await rig.copies.set(rig.uid, { url: next.url, kinds: [1] })
    await all('delivered')
    expect(next.received.map(({ fields }) => Number(fields['msgidServer']))).toEqual(numbers(1, 20))
    await rig.copies.set(rig.uid, { url: receiver.url, kinds: [1] })
    await put([line(21), line(22)])
    await attempted(21, 1)
    await rig.copies.set(rig.uid, { kinds: [1] })
    await waitFor('the end', async () => (await entries()).get(22)?.state === 'failed')
    expect((await entries()).get(21)).toMatchObject({ state: 'failed' })
    await put([line(23)])
    expect((await entries()).has(23)).toBe(false)
    await rig.copies.set(rig.uid, { url: next.url, kinds: [1] })
    await put([line(24)])
    await waitFor('the next', () => next.received.length === 21)
    await next.close()
  })
})

it('copies of many conversations are four at once to one address, and all come', async () => {
  await begin()
  let most = 0
  const open: (() => void)[] = []
  receiver.answer = (_request, response) => {
    most = Math.max(
      most,
      open.push(() => response.end()),
    )
    // Four concurrent requests are seen; later ones are answered at once.
    if (most >= 4) for (const answer of open.splice(0)) setImmediate(answer)
  }
  await put(numbers(1, 300).map((number) => line(number, `b${number % 60}`)))
  await waitFor('all', () => receiver.received.length === 300)
  await all('delivered')
  for (let each = 0; each < 60; each++)
    expect(came(`b${each}`)).toEqual(numbers(1, 300).filter((number) => number % 60 === each))
  expect(most).toBe(4)
})
