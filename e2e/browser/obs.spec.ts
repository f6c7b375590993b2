import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OBSWebSocket from 'obs-websocket-js'
import { expect, test, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { freePort, missingForObs, prepareObs, type ObsProgram } from '../obs/obs-program.ts'
import { createChannel, expectAccessible, keepLinesOpen, openPage } from '../page.ts'

const home = mkdtempSync(join(tmpdir(), 'sidestage-obs-'))
const password = 'only-for-this-run'
let app: RunningApp | undefined
let obs: ObsProgram | undefined
test.afterAll(async () => {
  await obs?.end()
  await app?.dispose()
  rmSync(home, { recursive: true, force: true, maxRetries: 3 })
})

const card = (page: Page) => page.getByRole('region', { name: 'OBS', exact: true })
/** Red, green and blue in the middle of the preview; undefined without a picture. */
const colour = (page: Page): Promise<readonly number[] | undefined> =>
  page.evaluate(() => {
    const video = document.querySelector('video')
    if (!video || video.videoWidth === 0 || video.readyState < 2) return undefined
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = 1
    const context = canvas.getContext('2d')
    context?.drawImage(video, video.videoWidth / 2, video.videoHeight / 2, 1, 1, 0, 0, 1, 1)
    return context ? Array.from(context.getImageData(0, 0, 1, 1).data.subarray(0, 3)) : undefined
  }) as Promise<readonly number[] | undefined>

/** Pictures a second, as OBS itself counts them. */
async function frameRate(port: number): Promise<number> {
  const hands = new OBSWebSocket()
  await hands.connect(`ws://127.0.0.1:${port}`, password)
  const { activeFps } = await hands.call('GetStats')
  await hands.disconnect()
  return activeFps
}

/** Draws the whole picture of OBS in one colour, as a person does in OBS itself. */
async function paint(port: number): Promise<void> {
  const hands = new OBSWebSocket()
  await hands.connect(`ws://127.0.0.1:${port}`, password)
  const { scenes } = await hands.call('GetSceneList')
  await hands.call('CreateInput', {
    sceneName: scenes[0]?.['sceneName'] as string,
    inputName: 'Red',
    inputKind: 'color_source_v3',
    inputSettings: { color: 4_278_190_335, width: 640, height: 360 },
  })
  await hands.disconnect()
}

test('a real OBS is connected, goes on air in one click with a picture in the preview, is lost and found again, and stops', async ({
  page,
}) => {
  const missing = missingForObs()
  test.skip(missing.length > 0, `there is no OBS here: ${missing.join(', ')}`)
  const port = await freePort()
  ;[app, obs] = await Promise.all([startApp(), prepareObs({ home, port, password })])
  await keepLinesOpen(page)
  await openPage(page, app)
  await createChannel(page, 'From_OBS')
  const form = page.getByRole('dialog')

  // Nothing listens yet; then OBS comes and the password is wrong; then it is right.
  await card(page).getByRole('button', { name: 'Connect OBS…' }).click()
  await expect(form).toContainText('Tools › WebSocket Server Settings')
  await form.getByLabel('Port').fill(String(port))
  await form.getByLabel('Password').fill('not the password')
  await form.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(form.getByRole('alert')).toContainText(`Nothing answers at 127.0.0.1:${port}.`)
  obs.start()
  await expect(async () => {
    await form.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(form.getByRole('alert')).toContainText('OBS did not accept the password.', { timeout: 2_000 })
  }).toPass()
  await form.getByLabel('Password').fill(password)
  await form.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(form).toHaveCount(0)
  await expect(card(page)).toContainText('Connected. OBS does not stream.')
  await paint(port)

  await card(page).getByRole('button', { name: 'Set up and start' }).click()
  await expect(card(page)).toContainText('OBS streams to this channel.')
  await expect(page.getByRole('banner')).toContainText(/On air/i)
  await expect
    .poll(async () =>
      ((await colour(page)) ?? []).map((value) => (value > 160 ? 'full' : value < 90 ? 'none' : 'some')).join(' '),
    )
    .toBe('full none none')
  const figures = card(page).getByLabel('Figures of OBS')
  await expect(figures).toContainText(/Bitrate[\d,]+ kbps/)
  // A busy computer draws fewer than 30: the figure is the one that OBS itself tells.
  const told = new Set<string>()
  await expect
    .poll(async () => {
      told.add((await frameRate(port)).toFixed(1))
      const [, shown = ''] = /Frame rate(\d+\.\d) fps/.exec((await figures.textContent()) ?? '') ?? []
      return told.has(shown)
    })
    .toBe(true)
  await expect(figures.getByText('from OBS').first()).toBeVisible()
  await expectAccessible(page)

  await obs.kill()
  await expect(card(page)).toContainText(`Nothing answers at 127.0.0.1:${port}.`)
  await expect(page.getByRole('banner')).toContainText('Hold')
  obs.start()
  await expect(card(page)).toContainText('Connected. OBS does not stream.')
  await card(page).getByRole('button', { name: 'Set up and start' }).click()
  await expect(page.getByRole('banner')).not.toContainText('Hold')
  await expect(card(page)).toContainText('OBS streams to this channel.')

  await card(page).getByRole('button', { name: 'Stop…' }).click()
  await form.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(card(page)).toContainText('Connected. OBS does not stream.')
  await expect(page.getByRole('banner')).toContainText(/Idle/i)
})
