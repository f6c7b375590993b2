import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createService } from '../../service/root.ts'
import { makeCertificate } from '../moderators/certificate.ts'
import { openSeatPage, signIn } from '../moderators/testing/seat-page.ts'
import { type ObsDouble, startObsDouble } from '../obs/testing/obs-double.ts'
import { nodeLauncher } from '../supervisor/launcher.ts'
import { failureOf, type Rig, scratch, serviceEntry, startRig, until } from '../testing/rig.ts'
import { spellingsOf } from './spellings.ts'

const [folder, far] = [scratch(), scratch()]
const profileId = 'local'
/** Letters that every encoding writes in another way. */
const canary = (what: string): string => `canary ${what}/+"ö${randomBytes(12).toString('hex')}`
const plain = (what: string): string => `canary-${what}-${randomBytes(12).toString('hex')}`
const hostedPair = { appKey: plain('key'), appSecret: plain('hosted') }
const [password, wrongPassword, wrongSecret, token, typed, signKey] = [
  canary('obs'),
  canary('wrongObs'),
  plain('wrong'),
  plain('token'),
  plain('typed'),
  plain('sign'),
]
const handed: string[] = []
const processes: (number | undefined)[] = []
let rig: Rig
let double: ObsDouble
let hosted: Awaited<ReturnType<typeof createService>>
/** Hands the service's log a line, as if the service had been careless. */
let careless: (line: string) => void = () => undefined

beforeAll(async () => {
  const free = { host: '127.0.0.1', port: 0 }
  hosted = await createService({
    dataDir: path.join(far.dir, 'service'),
    api: free,
    media: free,
    rtmp: free,
    credentials: hostedPair,
  })
  double = await startObsDouble({ password })
  const pageDir = path.join(folder.dir, 'page')
  mkdirSync(pageDir)
  writeFileSync(path.join(pageDir, 'index.html'), '<!doctype html>')
  writeFileSync(path.join(pageDir, 'csp.json'), '{"styles":[]}')
  const launch = nodeLauncher(serviceEntry)
  rig = await startRig(folder.dir, {
    pageDir,
    launch: () => {
      const made = launch()
      processes.push(made.pid)
      return {
        ...made,
        send: (message) => {
          if (message.type === 'start') handed.push(message.credentials.appSecret)
          made.send(message)
        },
        onLine: (listener) => {
          careless = listener
          made.onLine(listener)
        },
      }
    },
  })
  await rig.companion.serviceReady(40_000)
})
afterAll(async () => {
  await rig.close()
  await double.close()
  await hosted.close()
  folder[Symbol.dispose]()
  far[Symbol.dispose]()
})

it('gathers a support bundle without any secret that was used, typed wrongly, or written to a log by mistake; nor is one in answers, events, files or processes', async () => {
  const { rpc } = rig.page
  const answers: unknown[] = []
  const told = async <T>(call: Promise<T>): Promise<T> => {
    const answer = await call
    answers.push(answer)
    return answer
  }
  const refused = async (call: Promise<unknown>): Promise<void> => void answers.push(await failureOf(call))
  const entry = { liveUrl: hosted.ready.baseUrl, messagingUrl: hosted.ready.imBaseUrl, ...hostedPair }

  // A hosted service, with the right secret and with a wrong one.
  await refused(rpc.profiles.check({ ...entry, appSecret: wrongSecret }))
  const { id } = await told(rpc.profiles.add({ name: 'Far', ...entry }))
  await told(rpc.profiles.test({ profileId: id }))
  // A channel with its key, one of both profiles.
  const keys: string[] = []
  for (const profile of [profileId, id]) {
    const { cid } = await told(rpc.channels.create({ profileId: profile, name: 'Night' }))
    keys.push((await rpc.push.reveal({ profileId: profile, cid })).key)
    await told(rpc.push.card({ profileId: profile, cid }))
  }
  // Accounts, and one that signs in with what is no token of it.
  await rpc.messaging.createAccount({ profileId, call: { accid: 'ana', token }, keep: true })
  await refused(rpc.messaging.createAccount({ profileId, call: { accid: 'ana', token: typed }, keep: true }))
  await told(rpc.messaging.signIn({ profileId, accid: 'ana', keep: true }))
  await told(rpc.messaging.signIn({ profileId, accid: 'bo', token: typed, keep: false }))
  await until('the refusal', () =>
    rig.page.newest('linkSession', ({ session }) => session.accid === 'bo' && session.phase === 'refused'),
  )
  // The key that callbacks are signed with.
  await told(rpc.receivers.start({ profileId, host: '127.0.0.1', port: 0 }))
  await told(rpc.receivers.setSignKey({ profileId, signKey, atService: true }))
  // OBS, which is given a wrong password first.
  const place = { host: '127.0.0.1', port: double.port, enabled: true }
  await told(rpc.obs.configure({ ...place, password: wrongPassword }))
  expect((await told(rpc.obs.configure({ ...place, password }))).phase).toBe('connected')
  // A moderator, whose code is tried out wrongly, and the certificate of their listener.
  const certificate = await makeCertificate(['localhost'], Date.now())
  await told(rpc.seats.useCertificate(certificate))
  await refused(rpc.seats.useCertificate({ cert: certificate.cert, key: certificate.key.replace(/[A-Za-z]/g, 'A') }))
  const { roomid } = await told(rpc.rooms.create({ profileId, accid: 'host', name: 'night room', announcement: '' }))
  const invitation = await rpc.seats.invite({ profileId, roomid, accid: 'mei', name: 'Mei' })
  const { urls } = await told(rpc.seats.listen({ on: true, open: false, port: 0 }))
  expect((await signIn(urls[0]!, { accid: 'mei', token: invitation.token, code: 'a wrong one' })).status).toBe(401)
  const seat = await signIn(urls[0]!, { accid: 'mei', token: invitation.token, code: invitation.code })
  expect(seat.status).toBe(204)

  const secrets = new Map([
    ['own AppSecret', handed[0] ?? ''],
    ['hosted AppSecret', hostedPair.appSecret],
    ['wrong AppSecret', wrongSecret],
    ['token', token],
    ['typed token', typed],
    ['signing key', signKey],
    ['OBS password', password],
    ['wrong OBS password', wrongPassword],
    ['code', invitation.code],
    ['seat token', invitation.token],
    ['seat session', seat.cookie.replace(/^[^=]+=/, '')],
    ...keys.flatMap((key, n) => [
      [`push key ${n}`, key] as const,
      [`wsSecret ${n}`, /wsSecret=([0-9a-f]+)/.exec(key)?.[1] ?? ''] as const,
    ]),
    ...certificate.key
      .split('\n')
      .filter((line) => line.length > 32)
      .map((line, n) => [`line ${n} of the TLS key`, line] as const),
  ])
  for (const [name, secret] of secrets) expect(secret.length, name).toBeGreaterThanOrEqual(16)
  expect(processes).toHaveLength(1)
  await rpc.app.serviceLog().then((lines) => answers.push(lines))

  const search = (places: readonly (readonly [string, string])[]): string[] =>
    places.flatMap(([place, text]) =>
      [...secrets].flatMap(([name, secret]) =>
        spellingsOf(secret).some((each) => text.includes(each)) ? [`${name} in ${place}`] : [],
      ),
    )
  const files = readdirSync(folder.dir, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  const found = search([
    ['answers', JSON.stringify(answers)],
    ['events', JSON.stringify(rig.page.events)],
    ['log', rig.log.join('\n')],
    ...files.map((each) => [each.name, readFileSync(path.join(each.parentPath, each.name), 'utf8')] as const),
    ...processes.flatMap((pid) =>
      ['cmdline', 'environ'].map(
        (what) => [what, process.platform === 'linux' ? readFileSync(`/proc/${pid}/${what}`, 'utf8') : ''] as const,
      ),
    ),
  ])
  // The service signs with its key also when no app runs, so it has it: nowhere else, and its folder is the person's alone.
  expect(found.filter((each) => !/^signing key in sidestage\.db(-wal)?$/.test(each))).toEqual([])
  expect(found.length).toBeGreaterThan(0)
  expect(search([['a place with all of them', [...secrets.values()].join(' ')]])).toHaveLength(secrets.size)

  // A moderator names as many other things like secrets as a message holds: none of ours is forgotten for them.
  const moderator = await openSeatPage(urls[0]!, seat.cookie)
  const named = Object.fromEntries(
    Array.from({ length: 5_500 }, (_, n) => [n, { token: `no secret of this app ${n}` }]),
  )
  const ask = moderator.rpc.app.about as (input: unknown) => Promise<unknown>
  await ask(named)
  await expect(rpc.channels.create({ profileId, name: '', ...named })).rejects.toThrow('Input validation failed')
  moderator.close()

  // What must not happen happens: each secret is in the log, in every spelling. A session of a moderator is known by its digest only.
  for (const [name, secret] of secrets)
    if (name !== 'seat session') for (const each of spellingsOf(secret)) careless(`careless ${each} end`)
  const { parts } = await rpc.support.bundle()
  expect(parts.map(({ about }) => about)).toContain('serviceLog')
  const log = parts.find(({ about }) => about === 'serviceLog')!
  expect(log.text.match(/careless .*end/g)!.length).toBeGreaterThan(100)
  expect(parts.find(({ about }) => about === 'appLog')!.text).toContain('OBS connected')
  expect(search(parts.map(({ file, text }) => [file, text] as const))).toEqual([])
  expect(search([['the bundle', JSON.stringify(parts)]])).toEqual([])
})
