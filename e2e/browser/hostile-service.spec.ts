import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion } from '../companion-client.ts'
import { kindsOf, watchTrouble } from '../hostile-page.ts'
import { hostileTexts } from '../hostile-texts.ts'
import { openPage } from '../page.ts'
import { recordingCard } from '../recording.ts'

/** A hosted service that names its channels and files, and words its refusals, so as to break the page that shows them (docs/checks.md#5-unsafe-content). */
// All channels on one page of the table.
test.use({ viewport: { width: 1440, height: 1300 } })
let app: RunningApp
let server: Server
/** What the service writes wherever it may write a text; the page is looked at with plain ones first. */
let texts: readonly string[] = hostileTexts.map((_, index) => `Plain ${index}`)
const cidOf = (index: number): string => index.toString(16).padStart(32, '0')

/** The answer of the service to a path. */
function answerTo(path: string, cid: string): object {
  const [any = ''] = texts
  const at = (each: string): string => texts[Number.parseInt(each, 16)] ?? any
  const channel = (index: number): object => {
    const name = texts[index] ?? ''
    return {
      ctime: Date.now() - index,
      cid: cidOf(index),
      name,
      status: index % 4,
      type: 0,
      uid: 1,
      needRecord: 1,
      format: 0,
      duration: 120,
      filename: name,
    }
  }
  if (path.endsWith('/app/channellist')) {
    const all = texts.map((_, index) => channel(index))
    return { code: 200, ret: { pnum: 1, totalPnum: 1, records: 1000, totalRecords: all.length, list: all } }
  }
  if (path.endsWith('/app/channelstats')) return { code: 200, ret: channel(Number.parseInt(cid, 16)) }
  if (path.endsWith('/app/address')) {
    const gone = 'http://127.0.0.1:9/live'
    return {
      code: 200,
      ret: {
        pushUrl: `rtmp://127.0.0.1:9/live/${cid}?wsSecret=${any}&wsTime=1`,
        httpPullUrl: gone,
        hlsPullUrl: gone,
        rtmpPullUrl: 'rtmp://127.0.0.1:9/live',
        name: at(cid),
      },
    }
  }
  if (path.endsWith('/app/vodvideolist'))
    return {
      code: 200,
      ret: { videoList: texts.map((name, index) => ({ name, url: `javascript:alert(${index})`, vid: index + 1 })) },
    }
  if (path.endsWith('/app/videolist'))
    return {
      code: 200,
      ret: {
        videoList: texts.map((name, index) => ({
          video_name: name,
          orig_video_key: `${cid}_1_2_${index + 1}-00001.mp4`,
          uid: 1,
          vid: index + 1,
        })),
      },
    }
  // Everything else is refused, in words of its own.
  const told = texts.join(' ')
  return path.includes('/nimserver') ? { code: 414, desc: told } : { code: 631, msg: told }
}

test.beforeAll(async () => {
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      const [, cid = cidOf(0)] = /"cid":"([0-9a-f]{32})"/.exec(body) ?? []
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answerTo(request.url ?? '', cid)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  app = await startApp()
  const companion = await openCompanion(app)
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await companion.rpc.profiles.add({
    name: texts[0] ?? '',
    liveUrl: base,
    messagingUrl: `${base}/nimserver`,
    appKey: 'key',
    appSecret: 'secret',
  })
  companion.close()
})
test.afterAll(async () => {
  await app?.dispose()
  server?.closeAllConnections()
  server?.close()
})

/** The answer of the console is there, with its body, which comes after its code. */
async function answered(page: Page, code: string): Promise<void> {
  const answer = page.getByRole('complementary', { name: 'Answer' })
  await expect(answer).toContainText(code)
  await expect(answer.locator('pre').first()).toBeVisible()
}

/** Goes through what shows the words of the service, and gathers the kinds of nodes there. */
async function look(page: Page): Promise<Set<string>> {
  const kinds = new Set<string>()
  const { origin } = new URL(app.ready.url)
  const gather = async (): Promise<void> => {
    for (const kind of await kindsOf(page, origin)) kinds.add(kind)
  }
  await page.goto(`${origin}/#/channels`)
  const list = page.getByRole('region', { name: 'Channels' })
  for (const text of texts)
    await expect(
      list
        .getByRole('link')
        .filter({ hasText: text.replace(/\s+/g, ' ').trim() })
        .first(),
    ).toBeVisible()
  await gather()
  // A channel on air, whose name stands in the title, the log, the switcher and the question before it is disabled.
  for (const index of [1, 5]) {
    await page.goto(`${origin}/#/studio/${cidOf(index)}`)
    await expect(page.getByRole('heading', { level: 1 })).toContainText(texts[index] ?? '')
    await gather()
  }
  await page.getByRole('button', { name: 'Disable channel…' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await gather()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  // A refusal, with the words of the service behind "Details".
  await recordingCard(page).getByRole('button', { name: 'Recording settings…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name of the files').fill('Plain')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('button', { name: 'Details' }).click()
  await expect(dialog).toContainText(texts[4] ?? '')
  await gather()
  await page.keyboard.press('Escape')
  await page.goto(`${origin}/#/recordings`)
  await expect(page.getByRole('table').first()).toContainText(texts[3] ?? '')
  await gather()
  await page.goto(`${origin}/#/console/app/channellist`)
  await page.getByRole('button', { name: /^Send / }).click()
  await answered(page, '200')
  await gather()
  await page.goto(`${origin}/#/console/app/callback/setSignKey`)
  await page.getByLabel('signKey', { exact: true }).fill('a key')
  await page.getByRole('button', { name: /^Send / }).click()
  await answered(page, '631')
  await gather()
  return kinds
}

test('names and refusals of a hosted service are text wherever they are shown', async ({ page }) => {
  const trouble = watchTrouble(page, new URL(app.ready.url).origin)
  await openPage(page, app)
  // The field of a first channel takes the focus when it comes, and closes the menu.
  await expect(page.getByLabel('Name', { exact: false }).first()).toBeFocused()
  await page.getByRole('button', { name: /Profile/ }).click()
  await page
    .getByRole('menuitem', { name: 'Plain 0' })
    .or(page.getByRole('menuitemcheckbox', { name: 'Plain 0' }))
    .click()
  const allowed = await look(page)
  texts = hostileTexts
  await page.reload()
  // A first screen that still comes would take the address back from the next one.
  await expect(page.getByRole('heading', { level: 1, name: 'callback/setSignKey' })).toBeVisible()
  const found = await look(page)
  expect([...found].filter((kind) => !allowed.has(kind))).toEqual([])
  expect(trouble).toEqual([])
})
