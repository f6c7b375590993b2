import { expect, it } from 'vitest'
import { popOut, type DesktopShell } from './shell.ts'

const location = { pathname: '/', search: '' } as Location
/** A page in a browser that lets windows be opened, or does not. */
function browserPage(lets: boolean) {
  const asked: unknown[][] = []
  let focused = 0
  return {
    asked,
    focused: () => focused,
    page: {
      location,
      open: (...args: unknown[]) => {
        asked.push(args)
        return lets ? ({ focus: () => focused++ } as unknown as Window) : null
      },
    },
  }
}

it('asks the desktop shell for the window of a room by its number, its profile and whose computer it is on', async () => {
  const asked: unknown[] = []
  const sidestage = {
    popOut: (room: unknown) => {
      asked.push(room)
      return Promise.resolve('full' as const)
    },
  } as DesktopShell
  const { page, asked: opened } = browserPage(true)
  expect(await popOut({ ...page, sidestage }, 7, 'local')).toBe('full')
  const joined = 'ab'.repeat(8)
  const elsewhere = { ...page, location: { pathname: '/', search: `?joined=${joined}` } as Location }
  expect(await popOut({ ...elsewhere, sidestage }, 7, 'local')).toBe('full')
  expect(asked).toEqual([
    { roomid: 7, profileId: 'local', joined: null },
    { roomid: 7, profileId: 'local', joined },
  ])
  expect(opened).toEqual([])
})

it('opens a window of our own origin in a browser, named after the room and its profile so that it is one, and says when the browser did not let it', async () => {
  const { page, asked, focused } = browserPage(true)
  expect([await popOut(page, 7, 'local'), await popOut(page, 7, 'local'), await popOut(page, 7, 'ab/c')]).toEqual([
    'opened',
    'opened',
    'opened',
  ])
  expect(asked[0]).toEqual(['/#/pop-out/room/7/local', 'sidestage-room-local-7', 'popup,width=420,height=720'])
  expect(asked[1]).toEqual(asked[0])
  // The same number of another service is another room.
  expect(asked[2]?.slice(0, 2)).toEqual(['/#/pop-out/room/7/ab%2Fc', 'sidestage-room-ab%2Fc-7'])
  const joined = 'ab'.repeat(8)
  expect(
    await popOut({ ...page, location: { pathname: '/', search: `?joined=${joined}` } as Location }, 7, 'local'),
  ).toBe('opened')
  expect(asked[3]?.slice(0, 2)).toEqual([
    `/?joined=${joined}#/pop-out/room/7/local`,
    `sidestage-room-${joined}-local-7`,
  ])
  expect(focused()).toBe(4)
  expect(await popOut(browserPage(false).page, 7, 'local')).toBe('blocked')
})
