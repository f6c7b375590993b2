import { hash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Operation } from '../../contract/operation.ts'
import { live, local, operations } from '../../contract/operations/index.ts'
import { signedHeaders } from '../../contract/signing.ts'
import type { WatchGuest } from '../../contract/watch.ts'
import { startRooms, type RoomRig } from '../rooms/testing/rig.ts'
import { httpRequest } from '../testing/http-request.ts'
import { testCredentials } from '../testing/start-service.ts'
import { pathPrefix } from './dispatch.ts'

/** Stands in all names of the application whose things others ask for. */
const canary = 'canary7f3'
const locals = operations.filter(({ document }) => document === 'local')

let rig: RoomRig
let guest: WatchGuest
let guestCookie = ''
/** Ids of the application, by the names of parameters. */
let known: Readonly<Record<string, unknown>>
beforeAll(async () => {
  rig = await startRooms()
  const { cid } = (await rig.call(live.create, { name: `${canary}_channel` })).ret!
  const roomid = await rig.room({ name: `${canary}_room` })
  await rig.call(local.linkRoom, { cid, roomid })
  await rig.call(local.guests, { roomid, allow: true })
  const { linkId } = (await rig.call(local.addNamedLink, { cid, name: `${canary}_link` })).ret!
  const url = `rtmp://${canary}.example.com/app`
  const { targetId } = (await rig.call(local.addTarget, { cid, name: `${canary}_target`, url })).ret!
  await rig.call(local.setSchedule, { cid, next: Date.now() + 86_400_000, title: `${canary}_title` })
  await rig.call(local.setWords, { words: [canary], hold: false })
  known = { cid, cidList: [cid], roomid, roomidList: [roomid], linkId, targetId, operator: 'cara', accid: 'cara' }
  const made = await fetch(`${rig.service.ready.mediaUrl}/watch/${cid}/guest`, { method: 'POST' })
  guest = (await made.json()) as WatchGuest
  guestCookie = made.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
})
afterAll(() => rig.close())

/** Arguments of an operation: ids of the application, and anything else that its parameters may have. */
const argumentsOf = ({ parameters }: Operation): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, { kind }]) => {
      const samples: Readonly<Record<string, unknown>> = { text: 'x', integer: 1, flag: true, list: ['x'] }
      const value = known[name] ?? samples[kind]
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
const ask = async (operation: Operation, headers: Readonly<Record<string, string>>) => {
  const { text } = await httpRequest(rig.service.own.baseUrl + pathPrefix(operation) + operation.path, {
    headers: Object.entries({ 'content-type': 'application/json;charset=utf-8', ...headers }),
    body: JSON.stringify(argumentsOf(operation)),
  })
  return { text, code: (JSON.parse(text) as { readonly code: number }).code }
}
/** What the application has, as it reads it. */
const own = async (): Promise<unknown[]> => {
  const { cid, cidList, roomid, roomidList } = known as {
    readonly cid: string
    readonly cidList: string[]
    readonly roomid: number
    readonly roomidList: number[]
  }
  return [
    await rig.call(local.channelDetails, { cidList }),
    await rig.call(local.roomDetails, { roomidList }),
    await rig.call(local.linkedRoom, { cid }),
    await rig.call(local.held, { roomid }),
    await rig.call(local.access, { cid }),
    await rig.call(local.schedule, { cid }),
    await rig.call(local.targets, { cid }),
    await rig.call(local.hold, { cid }),
    await rig.call(local.watchLimits, {}),
    await rig.call(local.settings, {}),
    await rig.call(local.reach, {}),
    await rig.call(local.words, {}),
    await rig.call(local.copyTarget, {}),
  ]
}

it('a guest of the watch page calls no operation of the app, whatever it signs with', async () => {
  expect(guest.token.length).toBeGreaterThan(10)
  const signed = (appKey: string, appSecret: string) =>
    signedHeaders((text) => hash('sha1', text, 'hex'), { appKey, appSecret }, 'n', Math.floor(Date.now() / 1000))
  const { appKey } = testCredentials
  const before = await own()
  const ways = [
    signed(appKey, guest.token),
    signed(guest.accid, guest.token),
    { authorization: `Bearer ${guest.token}`, cookie: guestCookie },
    { authorization: `Basic ${Buffer.from(`${guest.accid}:${guest.token}`).toString('base64')}` },
    { ...signed(appKey, guest.token), token: guest.token, accid: guest.accid, cookie: guestCookie },
  ]
  const refusals = new Set<number>()
  for (const operation of locals)
    for (const headers of ways) {
      const { text, code } = await ask(operation, headers)
      refusals.add(code)
      expect(text, operation.path).not.toContain(canary)
    }
  // Wrong signatures, no headers of one, and the operation that is off.
  expect([...refusals].toSorted((one, other) => one - other)).toEqual([404, 409, 613])
  expect(await own()).toEqual(before)
})

it('another application with a good signature sees and changes nothing of this one', async () => {
  const before = await own()
  expect(JSON.stringify(before).split(canary).length).toBeGreaterThan(6)
  const codes: number[] = []
  for (const operation of locals) {
    // It does not end, and has the events of whoever asks.
    if (operation.stream === true) continue
    const { text, code } = await ask(operation, rig.other.sign())
    codes.push(code)
    expect(text, operation.path).not.toContain(canary)
  }
  expect(codes.filter((code) => code === 617).length).toBeGreaterThan(20)
  expect(await own()).toEqual(before)
})
