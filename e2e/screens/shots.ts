import { setTimeout as later } from 'node:timers/promises'
import type { BrowserContext, Locator, Page } from 'playwright'
import { lastLine, playing, recordings, sizes, type Booth, type Shot } from './booth.ts'
import { elsewhereShots } from './elsewhere-shots.ts'
import { outsideShots } from './outside-shots.ts'
import { watchShots } from './watch-shots.ts'

const go = async ({ page }: Booth, route: string): Promise<Page> => {
  // A screen that stands already would keep what was opened in it.
  await page.goto(page.url().replace(/#.*/, '#/settings/appearance'))
  await page.goto(page.url().replace(/#.*/, `#${route}`))
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  return page
}
const button = (page: Page | Locator, name: string): Locator => page.getByRole('button', { name, exact: true })
/** Shows the newest lines and the card of somebody who spoke. */
const readRoom = async (booth: Booth, page: Page): Promise<void> => {
  const { personas } = booth.world
  await page.getByRole('log').getByText(lastLine(booth)).waitFor()
  await page.getByRole('log').getByText(personas.lines.at(-2)![1]).click()
  await page.keyboard.press('u')
  await page.mouse.move(5, 300)
}
const settings = (
  section: string,
  whole: (booth: Booth, page: Page) => Promise<unknown> = () => Promise.resolve(),
): Shot => ({
  open: async (booth) => {
    const page = await go(booth, `/settings/${section}`)
    await page.locator('.panel h2').first().waitFor()
    await whole(booth, page)
    return page
  },
})
const closeOthers = (context: BrowserContext, but: Page): Promise<unknown> =>
  Promise.all(context.pages().flatMap((page) => (page === but ? [] : [page.close()])))

/** How each screen of scripts/screens/screen-list.ts comes to be seen, in the order in which they are taken. */
export const shots: Readonly<Record<string, Shot>> = {
  'first-run': { empty: true, open: (booth) => go(booth, '/channels') },
  'studio-before': {
    open: async (booth) => {
      const { channels } = await booth.world.companion.rpc.channels.list({ profileId: 'local' })
      const cid = channels.find(({ name }) => name === booth.world.personas.channels.idle[0])?.cid ?? ''
      const page = await go(booth, `/studio/${cid}`)
      await page
        .locator('[data-figure="readyChecks"]')
        .filter({ hasNotText: /^(Checking|检查中)/ })
        .waitFor()
      return page
    },
  },
  studio: {
    open: async (booth) => {
      const page = await go(booth, `/studio/${booth.world.ids.show}`)
      await playing(page)
      await page.getByRole('log').getByText(lastLine(booth)).waitFor()
      // Graphs of its health have something to show.
      await later(5000)
      return page
    },
  },
  'studio-check': {
    open: async (booth) => {
      const page = await go(booth, `/studio/${booth.world.ids.show}`)
      await playing(page)
      await button(page, booth.say('goLive.run')).click()
      for (const line of ['ingest', 'flv', 'hls', 'audio', 'room'])
        await page.locator(`[data-line="${line}"]:not([data-state="wait"])`).waitFor()
      return page
    },
  },
  'studio-obs': {
    open: async (booth) => {
      const page = await go(booth, `/studio/${booth.world.ids.show}`)
      await playing(page)
      await page
        .getByRole('region', { name: booth.say('onAir.encoder'), exact: true })
        .getByRole('button', { expanded: false })
        .click()
      // The pictures that follow have it folded.
      await page.evaluate(() => localStorage.removeItem('sidestage.studio-open.encoder'))
      await button(page, booth.say('obs.connectAsk')).click()
      await page.getByRole('dialog').getByLabel(booth.say('obs.port'), { exact: true }).waitFor()
      return page
    },
  },
  room: {
    open: async (booth) => {
      const page = await go(booth, '/room')
      await page.getByRole('combobox', { name: booth.say('room.choose') }).selectOption(String(booth.world.ids.roomid))
      await playing(page)
      await readRoom(booth, page)
      return page
    },
  },
  'room-statistics': {
    open: async (booth) => {
      const page = await go(booth, '/room')
      await playing(page)
      await button(page, booth.say('roomLists.tab.statistics')).click()
      await page.locator('.statistics canvas').waitFor()
      await page.locator('.statistics table').first().waitFor()
      return page
    },
  },
  'pop-out': {
    open: async (booth) => {
      const page = await booth.page.context().newPage()
      await page.setViewportSize(sizes.popOut)
      await page.goto(booth.page.url().replace(/#.*/, `#/pop-out/room/${booth.world.ids.roomid}`))
      await page.getByRole('log').getByText(lastLine(booth)).waitFor()
      return page
    },
  },
  channels: {
    open: async (booth) => {
      const page = await go(booth, '/channels')
      await page.getByRole('row').filter({ hasText: booth.world.personas.channels.show }).waitFor()
      return page
    },
  },
  recordings: {
    open: (booth) => recordings(booth, go),
  },
  'recordings-player': {
    open: async (booth) => {
      const { personas } = booth.world
      const page = await go(booth, '/recordings')
      // The newest file is of tonight, with the lines that were said meanwhile.
      const row = page.getByRole('row').filter({ hasText: new RegExp(`${personas.filenames.show}_\\d`) })
      await row.first().waitFor()
      await button(
        row.first(),
        booth.say('files.playThis', { name: (await row.first().locator('.row-name').textContent()) ?? '' }),
      ).click()
      await page.getByRole('dialog').getByText(personas.lines[1]![1]).first().waitFor()
      await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 3)
      await page.evaluate(() => document.querySelector('video')?.pause())
      return page
    },
  },
  broadcasts: {
    open: async (booth) => {
      const page = await go(booth, '/broadcasts')
      await page.locator('a[href*="/broadcasts/"]').first().waitFor()
      return page
    },
  },
  broadcast: {
    open: async (booth) => {
      const page = await go(booth, '/broadcasts')
      // The first is on air.
      const { show } = booth.world.personas.channels
      const links = page.locator('a[href*="/broadcasts/"]').filter({ hasText: show })
      await links.nth(1).click()
      await page
        .getByRole('region', { name: booth.say('broadcast.kept.title') })
        .getByRole('list')
        .waitFor()
      return page
    },
  },
  trim: {
    open: async (booth) => {
      const page = await go(booth, '/recordings')
      const { show } = booth.world.personas.filenames
      const row = page
        .getByRole('row')
        .filter({ hasText: new RegExp(`${show}_\\d`) })
        .first()
      await row.locator('.row-actions button').first().focus()
      await page.keyboard.press('e')
      await page.locator('[data-figure=strip]').getByText(/\d/).waitFor()
      await page.getByRole('slider', { name: booth.say('trim.in'), exact: true }).focus()
      for (let press = 0; press < 3; press++) await page.keyboard.press('Shift+ArrowRight')
      return page
    },
  },
  messaging: {
    open: async (booth) => {
      const { personas } = booth.world
      const page = await go(booth, '/messaging')
      await page
        .getByRole('navigation', { name: booth.say('messaging.conversations.list') })
        .getByRole('button')
        .filter({ hasText: personas.talk.lines.at(-1)![1] })
        .click()
      await page.getByRole('log').getByText(personas.talk.lines.at(-1)![1]).waitFor()
      return page
    },
  },
  'messaging-accounts': {
    open: async (booth) => {
      const page = await go(booth, '/messaging/accounts')
      await button(page, booth.world.personas.people[0]!.accid).click()
      return page
    },
  },
  'messaging-teams': {
    open: async (booth) => {
      const page = await go(booth, '/messaging/teams')
      await page.getByText(booth.world.personas.talk.team).first().click()
      return page
    },
  },
  'messaging-words': {
    open: async (booth) => {
      const page = await go(booth, '/messaging/words')
      await page.getByRole('textbox').first().waitFor()
      return page
    },
  },
  console: {
    open: async (booth) => {
      const page = await go(booth, '/console/app/channelstats')
      await page.getByLabel('cid', { exact: true }).fill(booth.world.ids.show)
      await page.getByRole('button', { name: new RegExp(`^${booth.say('console.send')}`) }).click()
      await page.getByRole('complementary').getByText('200', { exact: true }).first().waitFor()
      return page
    },
  },
  'settings-profiles': settings('profiles', (booth, page) =>
    page.getByText(booth.world.personas.hosted).first().waitFor(),
  ),
  'settings-computer': settings('computer', (_booth, page) => page.locator('.panel h3').nth(1).waitFor()),
  'settings-recordings': settings('recordings'),
  'settings-receivers': settings('receivers', (_booth, page) => page.getByRole('listitem').first().waitFor()),
  'settings-copies': settings('copies', (_booth, page) => page.getByRole('listitem').first().waitFor()),
  'settings-room': settings('room'),
  'settings-keys': settings('keys'),
  'settings-moderators': settings('moderators', (booth, page) =>
    page.getByText(booth.world.personas.seat.name, { exact: true }).first().waitFor(),
  ),
  'settings-desktop': settings('desktop'),
  'settings-appearance': settings('appearance'),
  'settings-support': settings('support'),
  'settings-about': settings('about'),
  join: {
    open: async (booth) => {
      const { personas, invited } = booth.world
      const page = await go(booth, `/join${invited.unusedInApp.slice(invited.unusedInApp.indexOf('?'))}`)
      await page.getByText(personas.room.name).first().waitFor()
      return page
    },
  },
  'seat-sign-in': {
    theme: 'seat',
    open: async (booth) => {
      const page = await booth.elsewhere()
      await page.goto(booth.world.invited.unused)
      await page.getByRole('heading', { level: 1 }).waitFor()
      return page
    },
  },
  'seat-room': {
    theme: 'seat',
    open: async (booth) => {
      const { personas, invited } = booth.world
      const page = await booth.elsewhere()
      await page.goto(invited.link)
      await page.getByLabel(booth.say('seatPage.accid'), { exact: true }).fill(personas.seat.accid)
      await page.getByLabel(booth.say('seatPage.token'), { exact: true }).fill(invited.token)
      await button(page, booth.say('seatPage.do')).click()
      await page.getByRole('log').waitFor()
      await playing(page)
      await readRoom(booth, page)
      return page
    },
  },
  ...outsideShots(go),
  ...watchShots,
  // The last: until here there is no channel of another computer.
  ...elsewhereShots(go),
}

/** Puts a page into a theme and waits until it stands still. */
export async function setTheme(
  booth: Booth,
  page: Page,
  theme: 'dark' | 'light',
  by: Shot['theme'] = 'app',
): Promise<void> {
  if (by === 'app') await booth.world.companion.rpc.app.changeSettings({ theme })
  else if (by === 'seat') await page.getByRole('combobox', { name: booth.say('settings.theme') }).selectOption(theme)
  else await page.emulateMedia({ colorScheme: theme })
  if (by !== 'browser' || (await page.locator('html.dark, html.light').count()) > 0)
    await page.locator(`html.${theme}`).waitFor()
  await page.evaluate(() => document.fonts.ready)
  // Colours move for a moment.
  await later(400)
}

/** Takes away what a screen has opened besides the app's own page. */
export async function tidy(booth: Booth, page: Page): Promise<void> {
  if (page === booth.page) return
  // A request that is under way ends with the page.
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  if (page.context() === booth.page.context()) await closeOthers(page.context(), booth.page)
  else await page.context().close()
}
