import { randomBytes } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { accounts, friends, history, local, messages, teams } from '../../contract/operations/index.ts'
import { openRaw } from '../link/testing/raw-client.ts'
import { linkUser, type LinkUser } from '../link/testing/link-user.ts'
import { startReceiver, type Receiver } from '../outbox/testing/receiver.ts'
import { readEvents } from '../testing/event-reader.ts'
import { eventually } from '../testing/eventually.ts'
import { secretSpellings } from '../testing/secret-spellings.ts'
import { startServiceProcess } from '../testing/service-process.ts'
import { signedClient } from '../testing/signed-client.ts'
import { itOnSqlite } from '../testing/engines.ts'

const canary = (what: string): string => `canary-${what}-${randomBytes(12).toString('hex')}`
const credentials = { appKey: 'canary-key', appSecret: canary('secret') }
let dataDir: string
let receiver: Receiver
let running: ReturnType<typeof startServiceProcess>
const users: LinkUser[] = []

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'sidestage-canary-'))
  writeFileSync(join(dataDir, 'credentials.json'), JSON.stringify(credentials), { mode: 0o600 })
  receiver = await startReceiver()
})
afterEach(async () => {
  for (const user of users.splice(0)) user.close()
  running.child.kill('SIGKILL')
  await running.exited
  await receiver.close()
  rmSync(dataDir, { recursive: true, force: true })
})

itOnSqlite(
  'finds no AppSecret and no account token in log, data, process, event stream, copies, frames or answers, whatever was done',
  async () => {
    running = startServiceProcess([
      '--data',
      dataDir,
      '--api-port',
      '0',
      '--media-port',
      '0',
      '--rtmp-port',
      '0',
      '--copy-url',
      receiver.url,
    ])
    const ready = await running.ready
    const api = signedClient(ready.baseUrl, credentials)
    const stream = await readEvents(ready.baseUrl, api.sign())
    await api.call(local.setCopyTarget, { url: receiver.url, kinds: [1, 2, 3] })

    const [given, changed, wrong] = [canary('given'), canary('changed'), canary('wrong')]
    const answers: unknown[] = []
    /** Answers of calls, which must not contain a token. */
    const said = async (call: Promise<{ readonly code: number }>, code = 200): Promise<void> => {
      const answer = await call
      expect(answer).toMatchObject({ code })
      answers.push(answer)
    }
    expect((await api.call(accounts.create, { accid: 'ann', token: given })).code).toBe(200)
    const made = (await api.call(accounts.create, { accid: 'bob' })).info!.token
    const renewed = (await api.call(accounts.refreshToken, { accid: 'bob' })).info!.token
    await said(api.call(accounts.update, { accid: 'ann', token: changed }))
    await said(api.call(accounts.getUinfos, { accids: ['ann', 'bob'] }))
    await said(api.call(local.accounts, {}))
    // A careless log might show what was refused.
    await said(api.call(accounts.create, { accid: 'ann', token: wrong }), 414)
    await said(api.call(accounts.update, { accid: 'nobody', token: wrong }), 414)
    await said(api.send(accounts.create, { accid: 'no good', token: wrong }), 414)
    await said(api.send(accounts.create, { accid: 'cem', token: wrong.repeat(4) }), 414)
    await api.raw(`/nimserver/user/create.action?token=${wrong}`)

    for (const [accid, token] of [
      ['ann', changed],
      ['bob', renewed],
    ] as const) {
      const user = linkUser(ready.linkUrl, { appKey: credentials.appKey, accid, token })
      users.push(user)
      await user.online()
    }
    const [ann, bob] = users as [LinkUser, LinkUser]
    for (const bad of [
      { appKey: credentials.appKey, accid: 'ann', token: wrong },
      { appKey: wrong, accid: 'ann', token: given },
    ]) {
      const raw = await openRaw(`${ready.linkUrl}?token=${wrong}`)
      answers.push(await raw.ask('login', { device: 'd', clientType: 'WEB', ...bad }))
      await raw.closed
    }
    await ann.send({ scene: 'p2p', to: 'bob', type: 0, body: '{"msg":"over the link"}' })
    await said(api.call(messages.send, { from: 'bob', ope: 0, to: 'ann', type: 0, body: '{"msg":"over the API"}' }))
    await said(api.call(friends.add, { accid: 'ann', faccid: 'bob', type: 1 }))
    await said(api.call(teams.create, { tname: 'crew', owner: 'ann', members: ['bob'], magree: 0 }))
    await said(api.call(messages.upload, { content: Buffer.from('a file').toString('base64') }))
    await said(api.call(accounts.block, { accid: 'bob', needkick: true }))
    await eventually(() => expect(bob.state.at).not.toBe('online'))
    await said(api.call(history.userEvents, { accid: 'ann', begintime: 0, endtime: Date.now() + 60_000, limit: 10 }))
    await said(api.call(local.copyTarget, {}))
    await said(api.call(local.deliveries, { limit: 100 }))
    await eventually(() =>
      expect(new Set(receiver.received.map(({ fields }) => fields['eventType']))).toEqual(
        new Set([undefined, '1', '2', '3']),
      ),
    )
    await eventually(() => {
      expect(ann.texts()).toContain('over the API')
      expect(JSON.stringify(receiver.received)).toContain('over the API')
    })

    const places: [string, string][] = [
      ['answers', JSON.stringify(answers)],
      ['event stream', JSON.stringify(stream.events)],
      ['copies', JSON.stringify(receiver.received)],
      ['frames', JSON.stringify(users.map(({ pushed, states }) => [pushed, states]))],
      ...(['cmdline', 'environ'] as const).map((what): [string, string] => [
        what,
        readFileSync(`/proc/${running.child.pid}/${what}`, 'latin1'),
      ]),
    ]
    stream.close()
    ann.close()
    running.child.kill('SIGTERM')
    expect(await running.exited).toBe(0)
    places.push(['log', running.log()], ['standard output', running.stdout()])
    const kept = globSync('**/*', { cwd: dataDir, withFileTypes: true }).filter(
      (entry) => entry.isFile() && entry.name !== 'credentials.json',
    )
    expect(kept.map(({ name }) => name)).toContain('sidestage.db')
    for (const { parentPath, name } of kept) places.push([name, readFileSync(join(parentPath, name), 'latin1')])
    // The search would find it.
    const text = new Map(places)
    for (const [place, has] of [
      ['log', '/user/create.action'],
      ['copies', 'over the API'],
      ['frames', 'over the API'],
      ['event stream', 'type'],
      ['answers', '"accid":"ann"'],
      ['cmdline', receiver.url],
      ['environ', 'PATH='],
    ] as const)
      expect(text.get(place), place).toContain(has)
    for (const secret of [credentials.appSecret, given, changed, wrong, made, renewed])
      for (const spelling of secretSpellings(secret))
        expect(
          places.filter(([, text]) => text.includes(spelling)).map(([place]) => place),
          spelling,
        ).toEqual([])
  },
)
