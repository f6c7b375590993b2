import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { secretSpellings } from '../../service/testing/secret-spellings.ts'
import { failureOf, type Rig, scratch, startRig, until } from '../testing/rig.ts'
import { type ObsDouble, startObsDouble } from './testing/obs-double.ts'

const folder = scratch()
const profileId = 'local'
const password = `canary-${randomBytes(12).toString('hex')}`
const foreign = `live_${randomBytes(12).toString('hex')}`
let rig: Rig
let double: ObsDouble
beforeAll(async () => {
  double = await startObsDouble({ password })
  double.service.settings = { server: 'rtmp://elsewhere.example/app', key: foreign }
  rig = await startRig(folder.dir)
  await rig.companion.serviceReady(150_000)
})
afterAll(async () => {
  await rig.close()
  await double.close()
  folder[Symbol.dispose]()
})

it('hands the push key of the service to OBS and tells it nowhere else, nor the password, nor the key of another service', async () => {
  const { rpc } = rig.page
  const answers: unknown[] = []
  const told = async (call: Promise<unknown>): Promise<void> => void answers.push(await call)
  const { cid } = await rpc.channels.create({ profileId, name: 'For_OBS' })
  const key = async (): Promise<string> => (await rpc.push.reveal({ profileId, cid })).key
  const place = { host: '127.0.0.1', port: double.port, enabled: true }

  await told(rpc.obs.configure({ ...place, password: 'a-wrong-password-of-a-test' }))
  await told(rpc.obs.configure({ ...place, password }))
  await told(rpc.obs.connect())
  double.streamIs(true)
  await until('the stream to elsewhere', () => rig.page.newest('obs', ({ obs }) => obs.streaming === 'live'))
  await told(rpc.obs.goLive({ profileId, cid, instead: false }))
  expect(answers.at(-1)).toEqual({ outcome: 'busyElsewhere', code: null })
  // OBS repeats what it was sent wherever it can say something.
  const first = await key()
  const secret = /wsSecret=([0-9a-f]+)/.exec(first)?.[1] ?? ''
  double.faults.reject = { to: 'SetStreamServiceSettings', code: 600, comment: `what is ${first}` }
  double.faults.version = secret
  await told(rpc.obs.goLive({ profileId, cid, instead: true }))
  expect(answers.at(-1)).toEqual({ outcome: 'rejected', code: 600 })
  delete double.faults.reject
  await told(rpc.obs.goLive({ profileId, cid, instead: true }))
  expect(answers.at(-1)).toEqual({ outcome: 'done', code: null })
  expect(double.service.settings).toMatchObject({ key: first })
  double.faults.answer = { to: 'GetStats', data: { cpuUsage: 3, note: first, [first]: first } }
  double.send(JSON.stringify({ op: 5, d: { eventType: 'StreamStateChanged', eventData: { outputState: first } } }))
  double.faults.raw = { to: 'GetStreamStatus', text: `{"op":7,"d":"${first}"}` }
  await told(rpc.obs.stop())
  delete double.faults.raw
  await told(rpc.obs.connect())
  expect(answers.at(-1)).toMatchObject({ phase: 'connected', version: null })
  await told(rpc.obs.setUp({ profileId, cid }))
  await told(rpc.obs.state())
  await told(failureOf(rpc.obs.setUp({ profileId, cid: 'f'.repeat(32) })))
  await told(rpc.app.serviceLog())

  const secrets = [password, foreign, first, secret]
  expect(secrets.every((text) => text.length >= 16)).toBe(true)
  const places: [string, string][] = [
    ['answers', JSON.stringify(answers)],
    ['events', JSON.stringify(rig.page.events)],
    ['log', rig.log.join('\n')],
  ]
  for (const entry of readdirSync(folder.dir, { withFileTypes: true }))
    if (entry.isFile()) places.push([entry.name, readFileSync(path.join(entry.parentPath, entry.name), 'latin1')])
  // Where it is looked for, it could be found.
  for (const [place, has] of [
    ['answers', 'busyElsewhere'],
    ['events', '"type":"obs"'],
    ['log', 'OBS connected'],
    ['obs.json', cid],
  ] as const)
    expect(places.find(([name]) => name === place)?.[1], place).toContain(has)
  for (const text of secrets)
    for (const spelling of secretSpellings(text))
      expect(
        places.filter(([, content]) => content.includes(spelling)).map(([place]) => place),
        spelling,
      ).toEqual([])
})
