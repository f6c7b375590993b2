import type { Browser, Page } from 'playwright'
import { embedPath, watchPath, type WatchState } from '../../contract/watch.ts'
import { lastLine, playing, sizes, type Booth, type Shot } from './booth.ts'

type Options = Parameters<Browser['newContext']>[0]
const desktop: Options = { viewport: sizes.window }
const phone: Options = { viewport: sizes.phone, deviceScaleFactor: 2, isMobile: true, hasTouch: true }
/** In ms. */
const day = 86_400_000

/** Opens the page; `change` is what its state says otherwise than the service does. */
async function open(
  booth: Booth,
  options: Options,
  change: (state: WatchState) => WatchState = (state) => state,
  part?: 'both' | 'picture' | 'chat',
): Promise<Page> {
  const { world } = booth
  const { mediaUrl } = world.app.ready.service
  const page = await booth.elsewhere(options)
  await page.route('**/state*', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: change((await response.json()) as WatchState) })
  })
  const whole = `${mediaUrl}${watchPath}${world.ids.show}`
  if (part === undefined) await page.goto(whole)
  else {
    const framed = `${mediaUrl}${embedPath}${world.ids.show}?show=${part}`
    // It is the same page at another address.
    if (!(await page.request.get(framed)).ok())
      await page.route(`**${embedPath}**`, (route) => route.continue({ url: whole }))
    await page.goto(framed)
  }
  return page
}
async function onAir(
  booth: Booth,
  options: Options,
  change?: (state: WatchState) => WatchState,
  part?: 'both',
): Promise<Page> {
  const page = await open(booth, options, change, part)
  await page.locator('.chat[data-state="inside"]').waitFor()
  await page.getByRole('log').getByText(lastLine(booth)).waitFor()
  await playing(page)
  await page.locator('.stage .sound').click()
  return page
}
const offAir =
  ({ world }: Booth) =>
  ({ flv: _flv, hls: _hls, since: _since, ...state }: WatchState): WatchState => ({
    ...state,
    live: false,
    next: state.time + 5 * day,
    nextTitle: world.personas.scene.line,
  })
const gated =
  (gate: NonNullable<WatchState['gate']>, ahead?: number) =>
  ({ title, disabled, time }: WatchState): WatchState => ({
    title,
    live: false,
    disabled,
    time,
    viewers: 0,
    gate,
    ...(ahead !== undefined && { ahead }),
  })
const shot = (open: (booth: Booth) => Promise<Page>): Shot => ({ theme: 'browser', open })

/** How the viewers' page comes to be seen, on air and in the states that it says something of. */
export const watchShots: Readonly<Record<string, Shot>> = {
  watch: shot(async (booth) => {
    const page = await onAir(booth, desktop)
    // The line is that of a viewer: the pictures that come later have it too.
    await page.locator('.chat textarea, .chat input').first().waitFor()
    return page
  }),
  'watch-phone': shot((booth) => onAir(booth, phone)),
  'watch-settings': shot(async (booth) => {
    const page = await onAir(booth, desktop)
    await page.locator('.stage [aria-controls="settings-panel"]').click()
    await page.locator('.panel [role=switch]').click()
    await page.getByText('HTTP-FLV').waitFor()
    return page
  }),
  'watch-held': shot(async (booth) => {
    const page = await onAir(booth, desktop, (state) => ({ ...state, held: state.time - 42_000 }))
    // The page covers a picture that stands: it is told of no more pictures.
    await page.evaluate(() => {
      HTMLVideoElement.prototype.requestVideoFrameCallback = () => 0
    })
    await page.getByRole('timer').waitFor()
    return page
  }),
  'watch-passphrase': shot(async (booth) => {
    const page = await open(booth, desktop, gated('passphrase'))
    await page.route('**/enter', (route) => route.fulfill({ status: 403 }))
    await page.locator('#passphrase').fill('tape loops')
    await page.locator('#passphrase').press('Enter')
    await page.getByRole('alert').filter({ hasText: /./ }).waitFor()
    return page
  }),
  'watch-full': shot(async (booth) => {
    const page = await open(booth, phone, gated('full', 3))
    await page.locator('.gate h2').waitFor()
    return page
  }),
  'watch-off-air': shot(async (booth) => {
    const page = await open(booth, desktop, offAir(booth))
    await page.getByRole('log').getByText(lastLine(booth)).waitFor()
    return page
  }),
  'watch-off-air-phone': shot(async (booth) => {
    const page = await open(booth, phone, offAir(booth))
    await page.getByRole('log').getByText(lastLine(booth)).waitFor()
    return page
  }),
  'watch-embed': shot((booth) => onAir(booth, { viewport: { width: 1000, height: 480 } }, undefined, 'both')),
}
