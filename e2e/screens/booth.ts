import type { Browser, Page } from 'playwright'
import type { Say } from './words.ts'
import type { World } from './screen-app.ts'

/** Sizes of windows that pictures are taken of. */
export const sizes = {
  window: { width: 1440, height: 900 },
  popOut: { width: 440, height: 780 },
  phone: { width: 390, height: 844 },
} as const

/** Where pictures are taken: the app's own page and whatever else a screen needs. */
export interface Booth {
  readonly browser: Browser
  readonly world: World
  readonly say: Say
  /** The app's own page. */
  readonly page: Page
  /** A browser of somebody else. */
  readonly elsewhere: (options?: Parameters<Browser['newContext']>[0]) => Promise<Page>
}

/** How a screen comes to be seen. */
export interface Shot {
  /** Opens it and waits until it is whole. */
  readonly open: (booth: Booth) => Promise<Page>
  /** What decides its theme: the app's setting, the moderator's choice, or the browser's wish. */
  readonly theme?: 'app' | 'seat' | 'browser'
  /** Undoes what was done for it in the app. */
  readonly after?: (booth: Booth) => Promise<unknown>
  /** Taken before there is anything in the app. */
  readonly empty?: true
}

/** Waits until a picture plays. */
export const playing = async (page: Page): Promise<void> => {
  await page.waitForFunction(() => {
    const video = document.querySelector('video')
    return video !== null && video.videoWidth > 0 && video.readyState > 2 && video.currentTime > 0.5
  })
}
/** The newest line of the room. */
export const lastLine = ({ world }: Booth): string => world.personas.lines.at(-1)![1]

/** The list of recordings, with two of them chosen for a merge. */
export async function recordings(booth: Booth, go: (booth: Booth, route: string) => Promise<Page>): Promise<Page> {
  const { personas } = booth.world
  const page = await go(booth, '/recordings')
  // One evening each, of which the newest is open.
  await page.locator('.table-scroll [aria-expanded="true"]').first().waitFor()
  const closed = page.locator('.table-scroll [aria-expanded="false"]:not([aria-haspopup])')
  while ((await closed.count()) > 0) await closed.first().click()
  const rows = page.getByRole('row').filter({ hasText: new RegExp(`${personas.filenames.show}_\\d`) })
  await rows.nth(3).waitFor()
  for (const index of [2, 1]) await rows.nth(index).getByRole('checkbox').click()
  await page.getByRole('button', { name: booth.say('groups.merge') }).click()
  await page.getByLabel(booth.say('merge.name')).fill(personas.filenames.next)
  await page.mouse.move(5, 300)
  return page
}
