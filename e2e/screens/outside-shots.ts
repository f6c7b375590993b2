import type { Page } from 'playwright'
import { startFaultyServer, type FaultyServer } from '../../service/targets/testing/faulty-server.ts'
import { playing, sizes, type Booth, type Shot } from './booth.ts'

const profileId = 'local'
/** In ms. */
const day = 86_400_000
/** How long somebody watches for a picture, in ms. */
const watches = 45_000
const tablet =
  'Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1'

/** Named links of the show, the home network as its reach, and somebody who watches by a link. */
async function share({ world }: Booth): Promise<void> {
  const { rpc } = world.companion
  const cid = world.ids.show
  const { access, reach } = rpc.operations
  await reach.updateReach({ profileId, call: { reach: 'home' } })
  await access.updateWatchLimits({ profileId, call: { maxViewers: 500, maxKbps: 200_000, maxGigabytes: 10 } })
  const [members, campus, mum, old] = world.personas.links
  const { linkId } = await rpc.access.addLink({ profileId, cid, name: old })
  await access.revokeNamedLink({ profileId, call: { cid, linkId } })
  await rpc.access.addLink({ profileId, cid, name: mum, expires: Date.now() + 9 * day })
  const { url } = await rpc.access.addLink({ profileId, cid, name: campus, maxViewers: 3 })
  await rpc.access.addLink({ profileId, cid, name: members })
  const root = url.slice(0, url.indexOf('/watch/'))
  const player = `${root}/live/${cid}.flv?link=${url.slice(url.lastIndexOf('/') + 1)}`
  const { body } = await fetch(player, { headers: { 'user-agent': tablet }, signal: AbortSignal.timeout(watches) })
  const read = async (): Promise<void> => {
    for await (const chunk of body ?? []) void chunk
  }
  // It ends with its time.
  read().catch(() => undefined)
}
async function unshare({ world }: Booth): Promise<void> {
  const { access, reach } = world.companion.rpc.operations
  const cid = world.ids.show
  await reach.updateReach({ profileId, call: { reach: 'computer' } })
  await access.updateWatchLimits({ profileId, call: { maxViewers: 0, maxKbps: 0, maxGigabytes: 0 } })
  for (const { linkId, revoked } of (await access.access({ profileId, call: { cid } })).ret.links) {
    if (revoked === undefined) await access.revokeNamedLink({ profileId, call: { cid, linkId } })
    await access.removeNamedLink({ profileId, call: { cid, linkId } })
  }
}

/** Servers that targets of the show go to. */
let servers: FaultyServer[] = []
/** A target in each state that one has during a push. */
async function addTargets({ world }: Booth): Promise<void> {
  const { rpc } = world.companion
  const cid = world.ids.show
  const good = await startFaultyServer()
  const refusing = await startFaultyServer()
  refusing.fault = 'refusesKey'
  servers = [good, refusing]
  const add = (name: string, preset: 'twitch' | 'youtube' | 'kick' | 'custom', url: string, key?: string) =>
    rpc.targets.add({ profileId, cid, name, preset, url, ...(key !== undefined && { key }), start: 'push' })
  await add('Twitch', 'twitch', good.url, 'live_5021_a81c9e')
  await add('YouTube', 'youtube', 'rtmp://127.0.0.1:9/live2', '3c9d-a81c-93bd')
  await add(world.personas.links[1], 'custom', refusing.url, 'campus-2026')
  await add('Kick', 'kick', good.url)
}
async function removeTargets({ world }: Booth): Promise<void> {
  const { rpc } = world.companion
  const cid = world.ids.show
  for (const { targetId } of (await rpc.targets.list({ profileId, cid })).targets)
    await rpc.targets.remove({ profileId, cid, targetId })
  for (const server of servers) await server.close()
  servers = []
}
const withState = (page: Page, state: string): Promise<void> =>
  page.locator(`[data-figure="target"][data-state="${state}"]`).first().waitFor()

/** How it comes to be seen what leaves the computer: the sheet of who can watch, targets, a held picture, the page of a visit. */
export const outsideShots = (go: (booth: Booth, route: string) => Promise<Page>): Readonly<Record<string, Shot>> => ({
  share: {
    open: async (booth) => {
      await share(booth)
      const page = await go(booth, `/studio/${booth.world.ids.show}`)
      await playing(page)
      await page.getByRole('button', { name: booth.say('share.open'), exact: true }).click()
      await page.getByRole('row').filter({ hasText: booth.world.personas.links[1] }).waitFor()
      await page.getByRole('meter').waitFor()
      // The rate of who has just come grows for some seconds.
      await page.getByText(/[23]\.\d Mbit\/s/).waitFor()
      return page
    },
    after: async (booth) => {
      await booth.page.keyboard.press('Escape')
      await unshare(booth)
    },
  },
  targets: {
    open: async (booth) => {
      await addTargets(booth)
      const page = await go(booth, `/studio/${booth.world.ids.show}`)
      await playing(page)
      for (const state of ['sending', 'retrying', 'noKey', 'refused']) await withState(page, state)
      return page
    },
    after: removeTargets,
  },
  hold: {
    open: async (booth) => {
      const page = await go(booth, `/studio/${booth.world.ids.show}`)
      await playing(page)
      await page.getByRole('button', { name: booth.say('hold.now'), exact: true }).click()
      await page.getByRole('button', { name: booth.say('hold.back'), exact: true }).waitFor()
      return page
    },
    after: ({ page, say }) => page.getByRole('button', { name: say('hold.back'), exact: true }).click(),
  },
  'watch-check': {
    theme: 'browser',
    open: async (booth) => {
      const { rpc } = booth.world.companion
      const { url } = await rpc.access.startVisit({ profileId, cid: booth.world.ids.show })
      const page = await booth.elsewhere({
        viewport: sizes.phone,
        deviceScaleFactor: 2,
        isMobile: true,
        hasTouch: true,
      })
      await page.goto(url)
      // The last step watches for a minute: a proxy may cut after that.
      await page.locator('[data-step="hls"][data-state="passed"]').waitFor()
      return page
    },
  },
})
