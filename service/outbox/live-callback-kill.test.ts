import { hash } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { callbackSign, signHeader } from '../../contract/callbacks/recording.ts'
import { live, local, recordings } from '../../contract/operations/index.ts'
import { encodeFixture, requireEncoder, temporaryFolder } from '../hub/testing/fixture.ts'
import { eventually } from '../testing/eventually.ts'
import { killedService, type KilledService } from '../testing/killed-service.ts'
import { startPublisher, type Publisher } from '../testing/publisher.ts'
import { startReceiver, type Receiver } from './testing/receiver.ts'

let folder: ReturnType<typeof temporaryFolder>
let file: string
let service: KilledService
let receiver: Receiver
let publisher: Publisher | undefined
beforeEach(async () => {
  await requireEncoder()
  folder = temporaryFolder()
  file = await encodeFixture(folder.path, 'push', { duration: 4, gop: 30 })
  service = killedService()
  receiver = await startReceiver()
})
afterEach(async () => {
  publisher?.kill('SIGKILL')
  await service.remove()
  await receiver.close()
  folder.remove()
})
const events = (): string[] => receiver.received.map(({ fields }) => fields['event']!)
const md5 = (text: string): string => hash('md5', text, 'hex')

it('a broadcast is told once over a hold and a kill, signed and in order', async () => {
  let { client } = await service.start()
  expect(await client.call(local.setLiveCallback, { url: receiver.url })).toMatchObject({ code: 200 })
  await client.call(recordings.setSignKey, { signKey: '签名 key' })
  const { cid } = (await client.call(live.create, { name: '晚会' })).ret!
  await client.call(local.updateHold, { cid, holdSeconds: 60 })
  const onAir = () => eventually(async () => expect((await client.call(live.state, { cid })).ret?.status).toBe(1))
  const push = async (): Promise<void> => {
    const { pushUrl } = (await client.call(live.address, { cid })).ret!
    publisher = startPublisher(pushUrl, file)
    await eventually(async () => expect((await client.call(local.hold, { cid })).ret?.holding).toBe(false))
    await onAir()
  }
  // It never answers, so that the kill is between the begin and the delivery of it.
  receiver.answer = () => undefined
  await push()
  await eventually(() => expect(events()).toEqual(['live.started']))

  publisher!.kill('SIGKILL')
  await publisher!.exited
  await eventually(async () => expect((await client.call(local.hold, { cid })).ret?.holding).toBe(true))
  await push()
  await service.kill()
  await publisher!.exited
  expect(events()).toEqual(['live.started'])

  receiver.answer = (_request, response) => void response.end()
  client = (await service.start()).client
  await push()
  await eventually(() => expect(events()).toEqual(['live.started', 'live.started']))
  await client.call(live.pause, { cid })
  await eventually(() => expect(events()).toEqual(['live.started', 'live.started', 'live.ended']))

  const [first, again, ended] = receiver.received
  // The message of before, with the same id.
  expect(again!.body).toBe(first!.body)
  const { beginTime } = first!.fields
  expect(ended!.fields).toMatchObject({ cid, name: '晚会', beginTime, reason: 'disabled' })
  expect(Number(ended!.fields['endTime'])).toBeGreaterThan(Number(beginTime))
  for (const { headers, fields } of receiver.received)
    expect(headers[signHeader]).toBe(callbackSign(md5, fields, '签名 key'))
  const { list, waiting } = (await client.call(local.deliveries, { kind: 'live' })).ret!
  expect(list.map(({ kind, state, vid }) => [kind, state, vid])).toEqual([
    ['live', 'delivered', undefined],
    ['live', 'delivered', undefined],
  ])
  expect(waiting).toBe(0)
  expect((await client.call(local.deliveries, { kind: 'recording' })).ret!.list).toEqual([])
})

it('an address of the service itself is refused', async () => {
  const { client, ready } = await service.start()
  expect(await client.call(local.setLiveCallback, { url: `${ready.mediaUrl}/live` })).toMatchObject({ code: 631 })
  expect((await client.call(local.callback, {})).ret).not.toHaveProperty('liveUrl')
})
