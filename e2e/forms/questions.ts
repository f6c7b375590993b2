import type { Locator, Page } from 'playwright/test'
import type { Say } from '../screens/words.ts'
import { openChat } from './open-chat.ts'

/** A page whose companion is played. */
export interface Played {
  readonly page: Page
  /** OBS is connected and sends to the channel that is on air. */
  readonly obsSends: () => void
  readonly say: Say
  /** Goes to a screen, from another one, so that it begins anew. */
  readonly go: (route: string) => Promise<void>
  /** Presses the first visible button whose name has that text. */
  readonly press: (key: string, named?: Readonly<Record<string, string>>, within?: Locator) => Promise<void>
}

/** A question before something that cannot be undone or that people notice. */
export interface Question {
  /** The component that asks, below `renderer/`. */
  readonly made: string
  /** What it asks about, where one component asks about more than one thing. */
  readonly as?: string
  /** The button that says yes. */
  readonly yes: string
  /** What must stand in it, so that a person knows what it is about. */
  readonly names?: string
  readonly open: (played: Played) => Promise<void>
}

const live = '7e3a91c40123456789abcdef01234567'
const menu = async ({ page, say }: Played, row: Locator, key: string): Promise<void> => {
  await row.locator('button[aria-haspopup=menu]').click()
  await page.getByRole('menuitem', { name: say(key), exact: true }).click()
}
const talk = async ({ go, page }: Played): Promise<Locator> => {
  await go('/messaging?scene=p2p&with=mei')
  const log = page.getByRole('log')
  await log.locator('p, li, div').first().waitFor()
  return log
}
const idle = 'c2d955100123456789abcdef01234567'
/** The card of OBS beside a channel, while OBS sends to the live one. */
const obs = async ({ go, page, obsSends, say }: Played, cid: string): Promise<Locator> => {
  await go(`/studio/${cid}`)
  const card = page.getByRole('region', { name: say('obs.title'), exact: true })
  await card.waitFor()
  obsSends()
  return card
}

/** Questions that open with nothing but the page; those that need a real service, a broken thing or a push are asked where these are. */
export const questions: readonly Question[] = [
  {
    made: 'features/broadcasts/broadcast-head.vue',
    yes: 'broadcast.removeNow',
    names: 'Night Radio 214',
    open: async ({ go, page, press, say }) => {
      await go(`/broadcasts/${'b'.repeat(24)}`)
      await press('broadcast.menu')
      await page.getByRole('menuitem', { name: say('broadcast.remove'), exact: true }).click()
    },
  },
  {
    made: 'features/recordings/retention-panel.vue',
    yes: 'retention.confirm',
    names: '30',
    open: async ({ go, page, press }) => {
      await go('/settings/recordings')
      await page.locator('input[name=days]').fill('30')
      await press('retention.saveAsk')
    },
  },
  {
    made: 'features/profiles/profiles-panel.vue',
    yes: 'settings.removeNow',
    names: 'Harbour production',
    open: async ({ go, press }) => {
      await go('/settings/profiles')
      await press('settings.remove')
    },
  },
  {
    made: 'features/obs/obs-card.vue',
    as: 'stop',
    yes: 'obs.stop',
    open: async (played) => played.press('obs.stopAsk', {}, await obs(played, live)),
  },
  {
    made: 'features/obs/obs-card.vue',
    as: 'replace',
    yes: 'obs.instead',
    names: 'Kitchen_Cam',
    open: async (played) => played.press('obs.goLiveAsk', {}, await obs(played, idle)),
  },
  {
    made: 'features/rooms/chat-card.vue',
    yes: 'roomPanel.chat.offDo',
    names: '12',
    open: async ({ go, page, say }) => {
      await go(`/studio/${live}`)
      await page.getByRole('switch', { name: say('roomPanel.chat.title') }).click()
    },
  },
  {
    made: 'features/rooms/channel-room.vue',
    as: 'move',
    yes: 'roomLists.link.link',
    names: 'Kitchen_Cam',
    open: async ({ go, page, press, say }) => {
      await go(`/studio/${idle}`)
      await openChat(page)
      await press('roomPanel.chat.other')
      // The room of another channel.
      const room = page.getByRole('region', { name: say('roomLists.link.roomOf') })
      await room.locator('select').selectOption({ index: 1 })
      await press('roomLists.link.link', {}, room)
    },
  },
  {
    made: 'features/rooms/room-channel.vue',
    yes: 'roomLists.link.unlinkDo',
    open: async ({ go, press }) => {
      await go('/room')
      await press('roomLists.link.unlink')
    },
  },
  {
    made: 'features/messaging/account-friends.vue',
    yes: 'messaging.friends.endDo',
    names: 'mei',
    open: async (played) => {
      await played.go('/messaging/accounts/ana')
      const details = played.page.locator('section.details')
      await details.getByRole('tab', { name: played.say('messaging.account.parts.friends') }).click()
      await menu(played, details.getByRole('listitem').filter({ hasText: 'mei' }), 'messaging.friends.end')
    },
  },
  {
    made: 'features/messaging/conversation-pane.vue',
    as: 'recall',
    yes: 'messaging.recall.action',
    open: async (played) => {
      const log = await talk(played)
      await log.getByText('At nine. The guest joins').hover()
      await log.locator('button.recall').first().click()
    },
  },
  {
    made: 'features/messaging/conversation-pane.vue',
    as: 'open a file',
    yes: 'messaging.file.action',
    names: 'songs-of-tonight.txt',
    open: async (played) => {
      const log = await talk(played)
      await log
        .getByRole('button', { name: played.say('messaging.file.openThis', { name: 'songs-of-tonight.txt' }) })
        .click()
    },
  },
  {
    made: 'features/messaging/team-details.vue',
    yes: 'messaging.team.do.dissolve',
    names: 'Late night crew',
    open: async ({ go, press }) => {
      await go('/messaging/teams/3001')
      await press('messaging.team.dissolve')
    },
  },
  // The last one, as nobody is signed in after it.
  {
    made: 'features/messaging/act-as.vue',
    yes: 'messaging.signOut.action',
    names: 'ana',
    open: async (played) => {
      await talk(played)
      await played.page.locator('main button.switch').click()
      await played.page.getByRole('menuitem', { name: played.say('messaging.actAs.signOut', { name: 'ana' }) }).click()
    },
  },
]
