import { inBackground } from '../background.ts'
import type { LinkAnswer, LinkPush } from '../../contract/link/frames.ts'
import type { WatchState } from '../../contract/watch.ts'
import { noticeType, roomNotices } from '../../contract/catalogue/notices.ts'
import { createChatElements, maxLine } from './chat-elements.ts'
import { createNote } from './chat-note.ts'
import { refusedNames, stands, type Stand } from './chat-stands.ts'
import { hueOf } from './hue.ts'
import { createLines } from './lines.ts'
import { seenNotice } from './notices.ts'
import { askForName, askToSignIn } from './person-dialogs.ts'
import { chooseNick, chosenNick, guestOf, GuestRefused, onNickChosen, type Person } from './people.ts'
import { createSpeaking } from './speaking.ts'
import { storedInTab, storeInTab } from './stored.ts'
import { beginVisit, type Outside, type Visit } from './visit.ts'
import { say, span } from './words.ts'

/** In ms. */
const guestPause = 15_000
/** In ms. */
const goodNewsFor = 10_000
/**
 * Only this page holds an account's token. Calls `changed` after changes of the room. `readsOnly`: the browser would
 * forget the guest, as in a frame without cookies, so nothing is written.
 */
export function createChat(cid: string, changed: () => void, readsOnly = false) {
  const lines = createLines()
  const elements = createChatElements(lines.node)
  const { node, input, send, form, left, slowNote, square, who, rename, sign, openPage, foot } = elements

  let state: WatchState | undefined
  let visit: Visit | undefined
  let account: Person | undefined
  let room: LinkAnswer<'roomEnter'>['room'] | undefined
  let nick = chosenNick() ?? say('guest', { number: Math.floor(1000 + Math.random() * 9000) })
  // Outside until the service confirms: a line would be lost.
  let outside: Stand | undefined = 'connecting'
  let turn = 0
  let isTaking = false
  let seatOf: number | undefined
  let limited = false
  let leads = false
  let mutedUntil = 0
  /** That the person may speak again; not said any more once something else keeps them from it. */
  let news = ''
  const note = createNote(elements.note, () => draw())
  const draft = `sidestage-line-${cid}`
  if (!readsOnly) input.value = storedInTab(draft)
  let moderators: ReadonlySet<string> = new Set()
  let pause: ReturnType<typeof setTimeout> | undefined

  const mutedFor = (): string => {
    const seconds = Math.ceil((mutedUntil - Date.now()) / 1000)
    return seconds > 0 ? say('youMutedFor', { time: span(seconds) }) : ''
  }
  const why = (): string => {
    if (!state) return ''
    if (!state.room) return say('noRoom')
    if (!state.room.open) return say('roomClosed')
    if (outside) return stands[outside]()
    if (limited) return say('youMuted')
    return mutedFor() || (room?.muted === true && !leads ? say('roomMuted') : '')
  }
  function draw(): void {
    const stopped = why()
    if (stopped !== '') note.forget(news)
    if (!readsOnly) storeInTab(draft, input.value)
    const barred = stopped || speaking.waiting()
    note.show(barred, barred !== '' && barred === (stopped ? mutedFor() : barred))
    node.dataset['state'] = state?.room?.open && !outside ? 'inside' : 'outside'
    input.readOnly = stopped !== ''
    input.setAttribute('aria-disabled', String(stopped !== ''))
    send.setAttribute('aria-disabled', String(barred !== ''))
    input.placeholder = say('say', { nick: account?.accid ?? nick })
    slowNote.textContent = room && room.slow > 0 && !leads ? say('slow', { seconds: room.slow }) : ''
    left.textContent = `${[...input.value].length} / ${maxLine}`
    const own = visit?.person.accid
    lines.me(own ?? '', account?.accid ?? nick)
    square.hidden = own === undefined || readsOnly || leads
    square.dataset['hue'] = String(hueOf(own ?? ''))
    who.textContent = readsOnly ? '' : say('youAre', { nick: account?.accid ?? nick })
    left.hidden = readsOnly
    openPage.hidden = !readsOnly
    rename.hidden = account !== undefined || readsOnly
    sign.textContent = say(account ? 'signOut' : 'signIn')
    foot.hidden = !state?.room
    form.hidden = foot.hidden || readsOnly
    lines.mention(form.hidden || stopped !== '' ? undefined : mention)
  }
  const mention = (name: string): void => {
    input.value = `${input.value.trimEnd()} @${name} `.trimStart().slice(0, maxLine)
    input.focus()
    draw()
  }
  const drawRoles = (): void =>
    lines.roles((accid) => (accid === room?.creator ? 'host' : moderators.has(accid) ? 'moderator' : undefined))

  const noticed = (attach: string): void => {
    const notice = seenNotice(attach)
    if (!notice) return
    const { id, target, seconds, expired, stillMuted, slow } = notice
    const isMe = target.includes(visit?.person.accid ?? '')
    if (id === roomNotices.updated) changed()
    if (id === roomNotices.roomMuted || id === roomNotices.roomUnmuted)
      room = room && { ...room, muted: id === roomNotices.roomMuted }
    else if (id === roomNotices.updated && slow !== undefined) {
      room = room && { ...room, slow }
      speaking.mayGoOn()
    } else if (id === roomNotices.adminSet || id === roomNotices.adminUnset) {
      if (isMe) leads = id === roomNotices.adminSet
      visit?.readModerators()
    } else if (isMe && (id === roomNotices.muted || id === roomNotices.unmuted)) limited = id === roomNotices.muted
    else if (isMe && id === roomNotices.mutedForAWhile) mutedUntil = Date.now() + seconds * 1000
    else if (isMe && id === roomNotices.muteForAWhileLifted) mutedUntil = 0
    if (isMe && !stillMuted && (id === roomNotices.unmuted || id === roomNotices.muteForAWhileLifted)) {
      news = say(expired ? 'muteOver' : 'muteLifted')
      note.tell(news, goodNewsFor)
    }
  }
  const pushed = (push: LinkPush): void => {
    if (push.t === 'roomMessage' && push.type === noticeType) noticed(push.attach)
    if (push.t === 'roomMessage') lines.add(push, true)
    else if (push.t === 'roomRecall') lines.remove(push.msgid)
    else if (push.t === 'roomDecided' && !push.allow) lines.dropped(push.msgid)
    else if (push.t === 'roomOut') outside = push.reason === 'blacklisted' ? 'banned' : 'closed'
    draw()
  }
  const leave = (): void => {
    turn += 1
    clearTimeout(pause)
    pause = undefined
    visit?.leave()
    visit = undefined
    seatOf = undefined
  }
  const again = (ms: number): void => {
    clearTimeout(pause)
    pause = setTimeout(() => {
      pause = undefined
      inBackground(take())
    }, ms)
  }
  const stood = (now: Outside): void => {
    outside = now
    if (now === 'refused' || now === 'barred' || now === 'ended') {
      const was = visit?.person
      leave()
      // The room may take no guests any more.
      if (was?.isGuest) changed()
      else if (now !== 'ended') {
        account = undefined
        note.tell(say(now === 'barred' ? 'signInBarred' : 'signInRefused'))
      }
      again(now === 'ended' ? 2000 : 500)
    }
    draw()
  }
  async function take(): Promise<void> {
    const wanted = state
    if (
      !wanted?.room?.open ||
      wanted.link === undefined ||
      wanted.appKey === undefined ||
      visit ||
      isTaking ||
      pause !== undefined
    )
      return
    if (!account && !wanted.room.guests) {
      outside = 'guests'
      return draw()
    }
    isTaking = true
    const mine = turn
    try {
      const person = account ?? (await guestOf(cid, nick))
      if (mine !== turn) return again(0)
      nick = chosenNick() ?? nick
      const { roomid } = wanted.room
      seatOf = roomid
      const events = {
        entered(answer: LinkAnswer<'roomEnter'>) {
          outside = undefined
          room = answer.room
          leads = answer.type === 1 || answer.type === 2
          limited = answer.type === -1
          mutedUntil = Date.now() + answer.mutedFor * 1000
          // Kept for other tabs and days, like the name at the service.
          if (!account && answer.nick !== '') {
            nick = answer.nick
            chooseNick(nick)
          }
          if (!account && answer.note !== undefined) note.tell(refusedNames[answer.note]?.(nick) ?? '')
          for (const line of answer.lines.toReversed()) lines.add(line, false)
          lines.allThatWait((answer.held ?? []).toReversed())
          drawRoles()
          draw()
        },
        outside: stood,
        push: pushed,
        moderators(accids: readonly string[]) {
          moderators = new Set(accids)
          drawRoles()
        },
      }
      visit = beginVisit({
        person,
        link: wanted.link,
        appKey: wanted.appKey,
        roomid,
        nick: person.isGuest ? nick : undefined,
        events,
      })
      draw()
    } catch (error) {
      const status = error instanceof GuestRefused ? error.status : 0
      outside = status === 403 ? 'guests' : status === 429 || status === 503 ? 'many' : 'reconnecting'
      again(status === 0 ? 2000 : guestPause)
      draw()
    } finally {
      isTaking = false
    }
  }

  const speaking = createSpeaking(elements, note, {
    visit: () => (why() === '' ? visit : undefined),
    slow: () => (leads ? 0 : (room?.slow ?? 0)),
    said(line, isHeld) {
      if (isHeld) lines.waits(line)
      else lines.add(line, false)
    },
    by: (person) => ({ nick: person.isGuest ? nick : person.accid, roomid: seatOf ?? 0 }),
    draw,
  })
  input.addEventListener('input', () => {
    note.tell('')
    draw()
  })
  rename.addEventListener('click', () =>
    askForName(nick, (chosen) => {
      note.tell('')
      visit?.rename(chosen)
      draw()
    }),
  )
  const become = (person: Person | undefined): void => {
    leave()
    account = person
    speaking.mayGoOn()
    note.tell('')
    outside = 'connecting'
    draw()
    inBackground(take())
  }
  sign.addEventListener('click', () => {
    if (account) become(undefined)
    else askToSignIn(become)
  })
  setInterval(() => {
    if (mutedUntil > Date.now() - 2000) draw()
  }, 1000)

  onNickChosen((chosen) => {
    nick = chosen
    visit?.renamed(chosen)
    draw()
  })
  if (readsOnly) sign.hidden = true
  draw()
  return {
    node,
    head: elements.head,
    popOut: elements.popOut,
    hide: elements.hide,
    awake: (): void => visit?.awake(),
    show(next: WatchState): void {
      state = next
      if (next.room?.roomid !== seatOf && seatOf !== undefined) {
        leave()
        outside = 'connecting'
      }
      // The room may have been closed and opened between two requests.
      if (outside === 'closed' && next.room?.open === true) leave()
      if (next.room?.open !== true) leave()
      else if (!account && !next.room.guests && (!visit || outside === 'reconnecting')) {
        leave()
        outside = 'guests'
      } else if (outside === 'guests' && next.room.guests) outside = 'connecting'
      draw()
      inBackground(take())
    },
  }
}
