import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { expect, test, type Page } from 'playwright/test'
import { startFaultyServer, type FaultyServer } from '../../service/targets/testing/faulty-server.ts'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { createChannel, mediaTime, openPage } from '../page.ts'
import { filesOf, processesOf, searchFor, type Places } from '../secret-places.ts'
import { openViewer } from '../viewer.ts'

const canary = (what: string): string => `canary-${what}-${randomBytes(12).toString('hex')}`
const keys = { first: canary('key'), second: canary('other-key'), refused: canary('refused-key') }
const passphrase = canary('passphrase')
const wrong = canary('wrong-passphrase')
const fromConsole = canary('console-passphrase')
/** Visitors from elsewhere are asked; those of this computer are not. */
const fromElsewhere = { extraHTTPHeaders: { via: '1.1 proxy' } }
const profileId = 'local'
let app: RunningApp
let companion: CompanionClient
let server: FaultyServer
let encoder: Encoder | undefined
test.beforeAll(async () => {
  ;[app, server] = await Promise.all([startApp(), startFaultyServer()])
  companion = await openCompanion(app)
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  companion?.close()
  await app?.dispose()
  await server?.close()
})

/** Addresses that a page asks for, where it says that it came from, and texts that it is answered with. */
function recorded(page: Page) {
  const addresses: string[] = []
  const answers: Promise<readonly [string, string]>[] = []
  page.on('request', (request) => addresses.push(request.url(), request.headers()['referer'] ?? ''))
  page.on('websocket', (socket) => addresses.push(socket.url()))
  page.on('framenavigated', (frame) => addresses.push(frame.url()))
  page.on('requestfinished', (request) => {
    const text = async (): Promise<readonly [string, string]> => {
      const response = await request.response()
      const type = response?.headers()['content-type'] ?? ''
      const isText = /json|html|mpegurl|javascript|event-stream/.test(type)
      return [`the answer to ${request.url()}`, isText ? ((await response?.text()) ?? '') : '']
    }
    // What a page has left has no body any more.
    answers.push(text().catch(() => [request.url(), ''] as const))
  })
  return { addresses, answers }
}
/** Where a page is and was, as its scripts and the browser know it. */
async function whereabouts(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page)
  const { entries } = await session.send('Page.getNavigationHistory')
  await session.detach()
  const inside = await page.evaluate(() => [
    location.href,
    document.referrer,
    document.cookie,
    JSON.stringify(history.state),
    JSON.stringify({ ...localStorage }),
    JSON.stringify({ ...sessionStorage }),
    ...performance.getEntries().map(({ name }) => name),
  ])
  return [page.url(), ...entries.map(({ url }) => url), ...inside]
}
const plays = async (page: Page): Promise<void> => {
  await expect.poll(() => mediaTime(page)).toBeGreaterThan(0)
  const before = await mediaTime(page)
  await expect.poll(() => mediaTime(page)).toBeGreaterThan(before + 0.5)
}

test.setTimeout(120_000)
test('keys of targets, passphrases and tokens of links are in no log, process, file, address or answer', async ({
  page,
  browser,
}) => {
  const { rpc } = companion
  const answers: unknown[] = []
  const told = async <T>(call: Promise<T>): Promise<T> => {
    const answer = await call
    answers.push(answer)
    return answer
  }
  const refused = async (call: Promise<unknown>): Promise<void> => {
    const reason: unknown = await call.then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(reason).toBeDefined()
    answers.push(String(reason), reason)
  }
  const reading = (async () => {
    for await (const event of await rpc.app.events()) answers.push(event)
  })()
  // The stream ends with the companion.
  reading.catch(() => undefined)
  const console = (path: string, parameters: Readonly<Record<string, string | number | boolean>>) =>
    told(rpc.console.call({ profileId, path, parameters }))

  await openPage(page, app)
  const ofApp = recorded(page)
  const origin = page.url().replace(/#.*/, '')
  const cid = await createChannel(page, 'Night')
  const { key } = await rpc.push.reveal({ profileId, cid })
  const { server: pushServer } = await rpc.push.card({ profileId, cid })
  encoder = startEncoder(`${pushServer}/${key}`)

  // A target that its server refuses first, in words that have the key, and one whose address is no server's.
  const target = { profileId, cid, name: 'There', preset: 'custom', start: 'push' } as const
  server.fault = 'refusesKey'
  await told(rpc.targets.add({ ...target, url: server.url, key: keys.first }))
  const listed = async () => (await told(rpc.targets.list({ profileId, cid }))).targets[0]
  await expect.poll(async () => (await listed())?.state).toBe('refused')
  server.fault = 'none'
  const { targetId } = (await listed())!
  await console('/local/target/update', { cid, targetId, key: keys.second })
  await console('/local/target/start', { cid, targetId })
  await expect.poll(async () => (await listed())?.state).toBe('sending')
  await refused(rpc.targets.add({ ...target, url: `http://a.example/${keys.refused}`, key: keys.refused }))

  // A passphrase, entered wrongly and rightly.
  const { mediaUrl } = app.ready.service
  await refused(rpc.access.update({ profileId, cid, mode: 'passphrase', passphrase: wrong.repeat(4) }))
  await console('/local/access/update', { cid, passphrase: fromConsole })
  await told(rpc.access.update({ profileId, cid, mode: 'passphrase', passphrase }))
  const byPassphrase = await openViewer(browser, mediaUrl, cid, fromElsewhere)
  const ofPassphrase = recorded(byPassphrase)
  const field = byPassphrase.getByLabel('Passphrase', { exact: true })
  await field.fill(wrong)
  await field.press('Enter')
  await expect(byPassphrase.getByText('That is not the passphrase. Capital letters count.')).toBeVisible()
  await field.fill(passphrase)
  await field.press('Enter')
  await plays(byPassphrase)
  await byPassphrase.reload()
  await plays(byPassphrase)

  // A named link, opened, reloaded and revoked.
  await told(rpc.access.update({ profileId, cid, mode: 'links' }))
  const link = await rpc.access.addLink({ profileId, cid, name: 'Robin' })
  const token = new URL(link.url).pathname.split('/').at(-1)!
  const byLink = await (await browser.newContext({ ...fromElsewhere, locale: 'en-GB' })).newPage()
  const ofLink = recorded(byLink)
  await byLink.goto(`${mediaUrl}${new URL(link.url).pathname}`)
  const firstLoad = ofLink.addresses.splice(0)
  await plays(byLink)
  await byLink.reload()
  await plays(byLink)
  await console('/local/access/revokeLink', { cid, linkId: link.linkId })
  await expect(byLink.getByText('The link that you came by was revoked')).toBeVisible()

  const search = searchFor([
    ...Object.entries(keys).map(([name, secret]) => [`${name} key`, secret] as const),
    ['passphrase', passphrase],
    ['wrong passphrase', wrong],
    ['passphrase from the console', fromConsole],
    ['token of a link', token],
    // The second part is the secret one.
    ['mark of a link', token.split('.').at(-1)!],
  ])

  // Pages: addresses, whereabouts and what they were answered with.
  expect(search([['the first load', firstLoad.join('\n')]])).toEqual([
    'token of a link in the first load',
    'mark of a link in the first load',
  ])
  const pages = { app: page, passphrase: byPassphrase, link: byLink }
  const records = { app: ofApp, passphrase: ofPassphrase, link: ofLink }
  const seen: (readonly [string, string])[] = []
  for (const name of ['app', 'passphrase', 'link'] as const) {
    const { addresses, answers: texts } = records[name]
    expect(addresses.length).toBeGreaterThan(5)
    seen.push([`the addresses of the page: ${name}`, addresses.join('\n')])
    seen.push([`the whereabouts of the page: ${name}`, (await whereabouts(pages[name])).join('\n')])
    seen.push(...(await Promise.all(texts)))
  }
  expect(seen.map(([place]) => place).join('\n')).toMatch(/\/watch\/[0-9a-f]+\/state/)
  expect(search(seen)).toEqual([])

  // What is listed.
  await console('/local/access/read', { cid })
  await console('/local/access/limits', {})
  await console('/local/target/list', { cid })
  await told(rpc.channels.list({ profileId }))
  expect(JSON.stringify(answers)).toContain(link.url.slice(-4))
  expect(search([['answers and events', JSON.stringify(answers)]])).toEqual([])

  // The support bundle.
  await page.goto(`${origin}#/settings/support`)
  await page.getByRole('button', { name: 'Gather the parts' }).click()
  const parts = page.getByRole('region', { name: 'Parts of the bundle' })
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    parts.getByRole('button', { name: 'Save ZIP' }).click(),
  ])
  const zip = unzipSync(readFileSync(await download.path()))
  const bundle: Places = Object.entries(zip).map(([name, bytes]) => [name, strFromU8(bytes)])
  expect(bundle.length).toBeGreaterThan(5)
  expect(search(bundle)).toEqual([])

  // Files, logs, processes, and what was built.
  const files = filesOf('app', app.dataDir)
  const processes = processesOf(app.process.pid ?? 0)
  const built = ['main', 'renderer', 'watch'].flatMap((name) =>
    filesOf(name, join(import.meta.dirname, '../../out', name)),
  )
  expect(files.map(([name]) => name)).toContain('app/service/sidestage.db')
  expect(app.log()).toContain('sidestage')
  expect(processes.length).toBeGreaterThan(2)
  expect(search([...files, ...processes, ...built, ['the log of the app', app.log()]])).toEqual([])
  for (const each of [byPassphrase, byLink]) await each.context().close()
})
