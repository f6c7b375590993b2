import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accounts, local, messages } from '../../contract/operations/index.ts'
import { secretSpellings } from '../../service/testing/secret-spellings.ts'
import { failureOf, type Rig, scratch, startRig, until } from '../testing/rig.ts'

const folder = scratch()
const profileId = 'local'
const canary = (what: string): string => `canary-${what}-${randomBytes(12).toString('hex')}`
let rig: Rig
beforeAll(async () => {
  rig = await startRig(folder.dir)
  await rig.companion.serviceReady(40_000)
})
afterAll(async () => {
  await rig.close()
  folder[Symbol.dispose]()
})

it('finds no AppSecret and no account token in what a page is told, in the log, in files or in the process of the service', async () => {
  const { rpc } = rig.page
  const answers: unknown[] = []
  const told = async (call: Promise<unknown>): Promise<void> => void answers.push(await call)
  const refused = async (call: Promise<unknown>): Promise<void> => void answers.push(await failureOf(call))
  const [given, typed, wrong] = [canary('given'), canary('typed'), canary('wrong')]

  // Receiver of copies first, so that everything below is copied.
  const { url } = await rpc.copies.start({ profileId, host: '127.0.0.1', port: 0 })
  await told(rpc.copies.setTarget({ profileId, url, kinds: [1, 2, 3] }))

  await rpc.messaging.createAccount({ profileId, call: { accid: 'ana', token: given }, keep: true })
  const { token: made } = await rpc.messaging.createAccount({ profileId, call: { accid: 'mei' }, keep: false })
  const { token: renewed } = await rpc.messaging.refreshToken({ profileId, accid: 'mei', keep: true })
  await told(rpc.messaging.accounts({ profileId, search: '', after: '' }))
  await refused(rpc.messaging.createAccount({ profileId, call: { accid: 'ana', token: wrong }, keep: true }))
  const byConsole = (operation: string, parameters: Record<string, string>): Promise<void> =>
    told(rpc.console.call({ profileId, path: operation, parameters }))
  await byConsole(accounts.create.path, { accid: 'lee', token: typed })
  await byConsole(accounts.create.path, { accid: 'no good', token: wrong })
  await byConsole(accounts.update.path, { accid: 'lee', token: typed })
  await byConsole(accounts.refreshToken.path, { accid: 'lee' })
  await byConsole(messages.upload.path, { content: Buffer.from('a file').toString('base64') })
  await byConsole(local.copyTarget.path, {})

  for (const accid of ['ana', 'mei']) {
    await told(rpc.messaging.signIn({ profileId, accid, keep: true }))
    await until(`${accid} online`, () =>
      rig.page.newest('linkSession', ({ session }) => session.accid === accid && session.phase === 'online'),
    )
  }
  await told(rpc.messaging.signIn({ profileId, accid: 'lee', token: wrong, keep: false }))
  await until('the refusal', () =>
    rig.page.newest('linkSession', ({ session }) => session.accid === 'lee' && session.phase === 'refused'),
  )
  await told(
    rpc.messaging.link.send({
      profileId,
      accid: 'ana',
      call: { scene: 'p2p', to: 'mei', type: 0, body: '{"msg":"hello"}' },
    }),
  )
  await told(rpc.messaging.upload({ profileId, content: Buffer.from('another').toString('base64'), type: 'txt' }))
  const copied = await until('the copy', () => rig.page.newest('copy', ({ copy }) => copy.fields['body'] === 'hello'))
  expect(copied.copy).toMatchObject({ verdict: 'accepted', verified: true })
  await until('the copy of a log-in', () => rig.page.newest('copy', ({ copy }) => copy.fields['eventType'] === '2'))
  await told(rpc.copies.replay({ profileId, id: copied.copy.id }))
  await told(rpc.copies.tamper({ profileId, id: copied.copy.id }))
  for (const call of [rpc.copies.state, rpc.copies.target, rpc.messaging.sessions]) await told(call({ profileId }))
  await told(rpc.app.serviceLog())
  await told(rpc.copies.list({ profileId, limit: 100 }))

  const secrets = [given, typed, wrong, made, renewed, ...rig.handed.map(({ appSecret }) => appSecret)]
  expect(secrets.every((secret) => secret.length >= 16)).toBe(true)
  const places: [string, string][] = [
    ['answers', JSON.stringify(answers)],
    ['events', JSON.stringify(rig.page.events)],
    ['log', rig.log.join('\n')],
  ]
  for (const entry of readdirSync(folder.dir, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) places.push([entry.name, readFileSync(path.join(entry.parentPath, entry.name), 'latin1')])
  if (process.platform === 'linux')
    for (const { pid } of rig.processes)
      for (const what of ['cmdline', 'environ']) places.push([what, readFileSync(`/proc/${pid}/${what}`, 'latin1')])

  // Where it is looked for, it could be found.
  for (const [place, has] of [
    ['answers', 'hello'],
    ['events', 'hello'],
    ['copies.db-wal', 'hello'],
    ['sidestage.db-wal', 'hello'],
  ] as const)
    expect(places.find(([name]) => name === place)?.[1], place).toContain(has)
  for (const secret of secrets)
    for (const spelling of secretSpellings(secret))
      expect(
        places.filter(([, text]) => text.includes(spelling)).map(([place]) => place),
        spelling,
      ).toEqual([])
  // The console shows no token that the service made either.
  expect(JSON.stringify(answers)).not.toMatch(/token\\*"\s*:\s*\\*"[0-9a-f]{8}/)
})
