import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accounts } from '../../contract/operations/index.ts'
import { silentLog } from '../../service/log.ts'
import { createService } from '../../service/root.ts'
import { signedClient } from '../../service/testing/signed-client.ts'
import type { Vault } from '../secrets/vault.ts'
import { failureOf, openPage, type Page, type Rig, scratch, startRig, until } from '../testing/rig.ts'

const folder = scratch()
const profileId = 'local'
// One keychain for both starts, as a person's own would be.
const held = new Map<string, string>()
const vault: Vault = {
  mode: { kind: 'session', reason: 'chosen', detail: 'test' },
  get: (name) => Promise.resolve(held.get(name)),
  set: async (name, secret) => {
    held.set(name, secret)
  },
  delete: async (name) => {
    held.delete(name)
  },
  names: () => Promise.resolve([...held.keys()]),
  test: () => Promise.resolve(vault.mode),
}
let rig: Rig
let token = ''

const filesUnder = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => path.join(one.parentPath, one.name))
const pushes = (accid: string) =>
  rig.page.events.flatMap((event) => (event.type === 'link' && event.accid === accid ? [event.push] : []))
const phase = (accid: string): string | undefined =>
  rig.page.newest('linkSession', ({ session }) => session.accid === accid)?.session.phase
const begin = async (): Promise<void> => {
  rig = await startRig(folder.dir, { vault })
  await rig.companion.serviceReady(30_000)
}

beforeAll(begin)
afterAll(async () => {
  await rig.close()
  folder[Symbol.dispose]()
})

describe('accounts of this computer', () => {
  it('are made with a token that is answered once, listed, and found', async () => {
    const { messaging } = rig.page.rpc
    const made = await messaging.createAccount({ profileId, call: { accid: 'Ana', name: 'Ana Host' }, keep: true })
    expect(made.accid).toBe('ana')
    token = made.token
    await messaging.createAccount({ profileId, call: { accid: 'mei', token: 'canary-TOKEN-mei' }, keep: false })
    expect(await messaging.accounts({ profileId, search: '', after: '' })).toEqual({
      complete: true,
      accounts: [
        { accid: 'ana', name: 'Ana Host', blocked: false, online: false },
        { accid: 'mei', name: '', blocked: false, online: false },
      ],
    })
    expect(
      (await messaging.accounts({ profileId, search: 'host', after: '' })).accounts.map(({ accid }) => accid),
    ).toEqual(['ana'])
    expect(await failureOf(messaging.createAccount({ profileId, call: { accid: 'ANA' }, keep: false }))).toMatchObject({
      kind: 'present',
      code: 414,
    })
  })

  it('are refused before the call when the contract refuses them', async () => {
    await expect(
      rig.page.rpc.messaging.createAccount({ profileId, call: { accid: 'not allowed!' }, keep: false }),
    ).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    })
    await expect(rig.page.rpc.operations.accounts.getUinfos({ profileId, call: { accids: [] } })).rejects.toMatchObject(
      { code: 'BAD_REQUEST' },
    )
  })

  it('talk over the link while they are signed in, and know what is unread', async () => {
    const { messaging } = rig.page.rpc
    await messaging.signIn({ profileId, accid: 'ana', keep: true })
    await messaging.signIn({ profileId, accid: 'mei', token: 'canary-TOKEN-mei', keep: false })
    await until('both online', () => phase('ana') === 'online' && phase('mei') === 'online')
    const sent = await messaging.link.send({
      profileId,
      accid: 'ana',
      call: { scene: 'p2p', to: 'mei', type: 0, body: JSON.stringify({ msg: '你好 <b>mei</b>' }) },
    })
    const got = await until('the message', () => pushes('mei').find((push) => push.t === 'message'))
    expect(got).toMatchObject({
      seq: sent.msgid,
      from: 'ana',
      to: 'mei',
      body: JSON.stringify({ msg: '你好 <b>mei</b>' }),
    })
    await until('the unread count', () =>
      rig.page.newest('linkSession', ({ session }) => session.accid === 'mei' && session.unread === 1),
    )
    expect(
      await messaging.link.read({ profileId, accid: 'mei', call: { scene: 'p2p', with: 'ana', upTo: sent.msgid } }),
    ).toEqual({ unread: 0, total: 0 })
    const seen = await rig.page.rpc.operations.history.session({
      profileId,
      call: { from: 'ana', to: 'mei', limit: 10 },
    })
    expect(seen.msgs.map(({ msgid }) => msgid)).toEqual([sent.msgid])
  })

  it('say why a token is not taken, and that one is missing', async () => {
    const { messaging } = rig.page.rpc
    await messaging.createAccount({ profileId, call: { accid: 'lee' }, keep: false })
    expect(await failureOf(messaging.signIn({ profileId, accid: 'lee', keep: false }))).toMatchObject({
      kind: 'secret',
    })
    await messaging.signIn({ profileId, accid: 'lee', token: 'wrong', keep: false })
    const refused = await until('the refusal', () =>
      rig.page.newest('linkSession', ({ session }) => session.accid === 'lee' && session.phase === 'refused'),
    )
    expect(refused.session.reason).toEqual({ code: 'credentials', params: {} })
    expect(await failureOf(messaging.link.unread({ profileId, accid: 'nobody', call: {} }))).toMatchObject({
      kind: 'absent',
    })
    await messaging.signOut({ profileId, accid: 'lee', forget: true })
    await until('it to be gone', () => phase('lee') === 'off')
  })

  it('do not keep a token that a new one has replaced, and sign in with none until one is given', async () => {
    const { messaging } = rig.page.rpc
    const keptOf = (accid: string) =>
      [...held].flatMap(([name, secret]) => (name.endsWith(`:token:local:${accid}`) ? [secret] : []))
    const { token: first } = await messaging.createAccount({ profileId, call: { accid: 'kim' }, keep: true })
    expect(keptOf('kim')).toEqual([first])
    const { token: second } = await messaging.refreshToken({ profileId, accid: 'kim', keep: true })
    expect(keptOf('kim')).toEqual([second])
    const { token: third } = await messaging.refreshToken({ profileId, accid: 'kim', keep: false })
    expect(new Set([first, second, third]).size).toBe(3)
    expect(keptOf('kim')).toEqual([])
    expect(await failureOf(messaging.signIn({ profileId, accid: 'kim', keep: false }))).toMatchObject({
      kind: 'secret',
    })
    await messaging.signIn({ profileId, accid: 'kim', token: third, keep: false })
    await until('kim online', () => phase('kim') === 'online')
    expect(keptOf('kim')).toEqual([])
  })

  it('come back with their new token when the link drops after it was renewed', async () => {
    const { messaging } = rig.page.rpc
    await messaging.refreshToken({ profileId, accid: 'kim', keep: false })
    const seen = rig.page.events.length
    const since = () =>
      rig.page.events
        .slice(seen)
        .flatMap((event) =>
          event.type === 'linkSession' && event.session.accid === 'kim' ? [event.session.phase] : [],
        )
    process.kill(rig.processes.at(-1)!.pid!, 'SIGKILL')
    await until('the link to drop', () => since().some((one) => one !== 'online'))
    await until('what comes of it', () => ['online', 'refused'].includes(since().at(-1)!))
    expect(since().at(-1)).toBe('online')
  })

  it('lose their kept token by signing out only when it shall be forgotten', async () => {
    const { messaging } = rig.page.rpc
    const { token: renewed } = await messaging.refreshToken({ profileId, accid: 'kim', keep: true })
    const isKept = () => [...held.values()].includes(renewed)
    await messaging.signOut({ profileId, accid: 'kim', forget: false })
    expect([phase('kim'), isKept()]).toEqual(['off', true])
    await messaging.signIn({ profileId, accid: 'kim', keep: true })
    await until('kim online', () => phase('kim') === 'online')
    await messaging.signOut({ profileId, accid: 'kim', forget: true })
    expect(isKept()).toBe(false)
    expect(await failureOf(messaging.signIn({ profileId, accid: 'kim', keep: true }))).toMatchObject({ kind: 'secret' })
  })

  it('sign in again after a restart when their token is kept, and go on where they were; no token is in any file', async () => {
    await rig.close()
    await begin()
    await until('ana to be back', () => phase('ana') === 'online')
    expect((await rig.page.rpc.messaging.sessions({ profileId })).map(({ accid, kept }) => [accid, kept])).toEqual([
      ['ana', true],
    ])
    await rig.page.rpc.operations.messages.send({
      profileId,
      call: { from: 'mei', ope: 0, to: 'ana', type: 0, body: '{"msg":"after"}' },
    })
    await until('the message', () =>
      pushes('ana').find((push) => push.t === 'message' && push.body === '{"msg":"after"}'),
    )
    for (const file of filesUnder(folder.dir).filter((one) => statSync(one).size < 50_000_000)) {
      const content = readFileSync(file)
      for (const secret of [token, 'canary-TOKEN-mei']) expect(content.includes(secret), file).toBe(false)
    }
  })
})

describe('files of messages', () => {
  it('are shown through the relay when the service of this computer keeps them, and no others', async () => {
    const { messaging } = rig.page.rpc
    const bytes = Buffer.from('89504e470d0a1a0a', 'hex')
    const { url } = await messaging.upload({ profileId, content: bytes.toString('base64'), type: 'png' })
    const shown = await messaging.media({ profileId, url })
    const answer = await rig.companion.relay.fetch({
      method: 'GET',
      path: shown.path,
      signal: new AbortController().signal,
    })
    expect([answer.status, answer.headers['content-type'], answer.headers['x-content-type-options']]).toEqual([
      200,
      'image/png',
      'nosniff',
    ])
    const parts: Buffer[] = []
    for await (const part of answer.body!) parts.push(part as Buffer)
    expect(Buffer.concat(parts).equals(bytes)).toBe(true)
    const html = await messaging.upload({
      profileId,
      content: Buffer.from('<script>1</script>').toString('base64'),
      type: 'html',
    })
    const plain = await rig.companion.relay.fetch({
      method: 'GET',
      path: (await messaging.media({ profileId, url: html.url })).path,
      signal: new AbortController().signal,
    })
    expect(plain.headers['content-type']).toBe('application/octet-stream')
    plain.body?.destroy()
    const { origin } = new URL(url)
    for (const other of [
      'http://127.0.0.1:9/files/x',
      `${origin}/live/x.flv`,
      `${origin}/files/../live/x`,
      'file:///etc/passwd',
      'nonsense',
    ])
      expect(await failureOf(messaging.media({ profileId, url: other })), other).toMatchObject({ kind: 'absent' })
    expect(await failureOf(messaging.media({ profileId: 'hosted', url }))).toMatchObject({ kind: 'absent' })
  })
})

describe('a hosted profile', () => {
  it('takes its tokens out of the keychain with it, also of accounts that were made elsewhere', async () => {
    const { rpc } = rig.page
    const far = scratch()
    const free = { host: '127.0.0.1', port: 0 }
    const pair = { appKey: 'far-key', appSecret: 'far-secret' }
    const service = await createService({
      dataDir: far.dir,
      api: free,
      media: free,
      rtmp: free,
      credentials: pair,
      log: silentLog,
    })
    const { id } = await rpc.profiles.add({
      name: 'Far',
      liveUrl: service.ready.baseUrl,
      messagingUrl: service.ready.imBaseUrl,
      ...pair,
    })
    const others = new Set(held.keys())
    await rpc.messaging.createAccount({ profileId: id, call: { accid: 'ana' }, keep: true })
    await signedClient(service.ready.baseUrl, pair).call(accounts.create, { accid: 'mei' })
    await rpc.messaging.refreshToken({ profileId: id, accid: 'mei', keep: true })
    expect([...held.keys()].filter((name) => !others.has(name)).map((name) => name.replace(/.*:/, ''))).toEqual([
      'ana',
      'mei',
    ])
    await rpc.profiles.remove({ profileId: id })
    expect([...held.keys()].filter((name) => name.includes(id))).toEqual([])
    expect(held.size).toBeGreaterThan(0)
    await service.close()
    far[Symbol.dispose]()
  })

  it('has no link, and says so', async () => {
    expect(
      await failureOf(rig.page.rpc.messaging.signIn({ profileId: 'hosted', accid: 'ana', token: 'x', keep: false })),
    ).toMatchObject({ kind: 'absent' })
    expect(await rig.page.rpc.messaging.sessions({ profileId: 'hosted' })).toEqual([])
  })
})

describe('requests that come while no page is open', () => {
  it('are told to the next page until they are answered', async () => {
    const ask = (page: Page) =>
      page.events.find(
        (event) => event.type === 'link' && event.accid === 'ana' && event.push.t === 'friend' && event.push.type === 2,
      )
    const first = openPage(rig.companion)
    await first.rpc.operations.friends.add({ profileId, call: { accid: 'mei', faccid: 'ana', type: 2, msg: 'hello' } })
    first.close()
    rig.page.close()
    const second = openPage(rig.companion)
    await until('the request', () => ask(second))
    await second.rpc.messaging.link.friend({ profileId, accid: 'ana', call: { accid: 'mei', type: 3 } })
    second.close()
    const third = openPage(rig.companion)
    await until('the settings, which come later', () => third.newest('settings'))
    expect(ask(third)).toBeUndefined()
    third.close()
  })
})
