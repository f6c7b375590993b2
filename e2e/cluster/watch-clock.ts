import { setTimeout as wait } from 'node:timers/promises'
import { accounts, chatrooms, history, live, local } from '../../contract/operations/index.ts'
import { until } from '../../service/testing/condition.ts'
import { systemClock } from '../../platform/clock.ts'
import { pathPrefix } from '../../service/http/dispatch.ts'
import { startReceiver } from '../../service/outbox/testing/receiver.ts'
import { formOf } from '../../service/testing/signed-client.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { signInPerson } from '../link-person.ts'
import type { ApartNode } from './apart-cluster.ts'
import { apartCredentials, apartPorts } from './apart-programs.ts'
import type { SaidLines, StartWatch } from './failure-watch.ts'
import { keepInside, type KeptInside } from './keep-inside.ts'

/** How long a mute and slow mode last, in s; and by how much longer they may be felt on a busy machine, in ms. */
const [held, slack] = [8, 4000]
/** Removals of uploads that an application may ask for in a minute. */
const removals = 300
/** Lines that were said so long after each other are in that order, in ms. */
const apart = 1000
/** How long a kick, the deliveries that are due and lines on their way may take, in ms. */
const patience = { kick: 2000, deliveries: 30_000, lines: 10_000 } as const

/** Lines that stand before one that was acknowledged long before they were sent. */
function unordered({ acknowledged, stored }: SaidLines): number {
  let [count, latest] = [0, 0]
  for (const line of stored.toReversed()) {
    const said = acknowledged.get(line)
    if (!said) continue
    if (said.to + apart < latest) count++
    latest = Math.max(latest, said.from)
  }
  return count
}

/**
 * A node whose clock is set while the failure lasts, and another one. Pushes at both stay on air and are told as begun
 * once; mutes, slow mode, one-time CheckSums, rates and kicks hold over both; each line is heard, copied once and in
 * its place.
 */
export const watchClock: StartWatch = async ({ nodes, own, addressOf }, roomid) => {
  const [wrong, , right] = nodes as [ApartNode, ApartNode, ApartNode]
  const pair = [
    [wrong, right],
    [right, wrong],
  ] as const
  const faults: string[] = []
  const receiver = await startReceiver(systemClock, own)
  const encoders: Encoder[] = []
  const ears: KeptInside[] = []
  let barred = false
  const close = async (): Promise<void> => {
    for (const encoder of encoders) await encoder.stop('SIGKILL')
    for (const ear of ears) await ear.close()
    await receiver.close()
  }
  /** Whether a call that prepares something was taken. */
  const must = async (what: string, call: Promise<{ readonly code: number }>): Promise<void> => {
    const { code } = await call
    if (code !== 200) throw new Error(`${what}: ${code}`)
  }
  let number = 0
  const say = async ({ client }: ApartNode, fromAccid: string, to = roomid): Promise<number> => {
    const attach = `${fromAccid} ${++number}`
    return (await client.call(chatrooms.sendMsg, { roomid: to, fromAccid, msgId: attach, msgType: 0, attach })).code
  }
  const pushTo = (node: ApartNode, pushUrl: string): Encoder => {
    const address = new URL(pushUrl)
    address.host = `${addressOf(node.name)}:${apartPorts.rtmp}`
    const encoder = startEncoder(String(address))
    encoders.push(encoder)
    return encoder
  }
  const channels: { readonly cid: string; readonly pushUrl: string }[] = []
  const isOnAir = async (cid: string): Promise<boolean> =>
    (await Promise.all(nodes.map(({ client }) => client.call(live.state, { cid })))).every(
      ({ ret }) => ret?.status === 1,
    )
  const areCounted = async (): Promise<boolean> =>
    (
      await Promise.all(nodes.map(({ client }) => client.call(chatrooms.get, { roomid, needOnlineUserCount: true })))
    ).every(({ chatroom }) => chatroom?.onlineusercount === ears.length)
  const slowRoom = async (): Promise<number> => {
    const { roomid: other } = (await right.client.call(chatrooms.create, { creator: 'cara', name: 'slow' })).chatroom!
    await must('slow mode', right.client.call(local.slowMode, { roomid: other, seconds: held }))
    return other
  }
  /** How long nothing is let through at either node, in ms; `first` is let through, or forbids the others. */
  const felt = async (what: string, first: () => Promise<unknown>, again: (node: ApartNode) => Promise<number>) => {
    const from = performance.now()
    await first()
    const begun = performance.now()
    for (const node of [right, wrong, right, wrong])
      if ((await again(node)) === 200) faults.push(`${what}: not in force at ${node.name}`)
    await until(`${what} is over`, async () => (await again(right)) === 200 || (await again(wrong)) === 200)
    if (performance.now() - from < held * 1000) faults.push(`${what}: over too early`)
    const late = performance.now() - begun - held * 1000
    if (late > slack) faults.push(`${what}: over ${Math.round(late)} ms too late`)
  }
  const holdMutes = async (): Promise<void> => {
    for (const [index, at] of [wrong, right].entries()) {
      const target = `muted-${index}`
      const mute = { roomid, operator: 'cara', target, muteDuration: held }
      await felt(
        `a mute at ${at.name}`,
        () => must('a mute', at.client.call(chatrooms.temporaryMute, mute)),
        (node) => say(node, target),
      )
    }
  }
  const holdSlowMode = async (): Promise<void> => {
    for (const [index, at] of [wrong, right].entries()) {
      const other = await slowRoom()
      await felt(
        `slow mode after a line at ${at.name}`,
        () =>
          must(
            'a line',
            say(at, `muted-${index}`, other).then((code) => ({ code })),
          ),
        (node) => say(node, `muted-${index}`, other),
      )
    }
  }
  const tryCheckSums = async (): Promise<void> => {
    for (const [first, second] of pair) {
      const signed = Object.entries({ ...first.client.sign(), 'x-forwarded-proto': 'https' })
      const given = { accids: ['cara'] }
      const codes: number[] = []
      for (const { client } of [first, second, first]) {
        const type = 'application/x-www-form-urlencoded;charset=utf-8'
        const { text } = await client.raw(pathPrefix(accounts.getUinfos) + accounts.getUinfos.path, {
          headers: [...signed, ['content-type', type]],
          body: formOf(given),
        })
        codes.push((JSON.parse(text) as { code: number }).code)
      }
      if (codes[0] !== 200 || codes[1] === 200 || codes[2] === 200) faults.push(`a CheckSum: ${codes.join(', ')}`)
    }
  }
  const tryRates = async (): Promise<number> => {
    let passed = 0
    const ask = async (at: number): Promise<void> => {
      for (let index = at; index < removals + 40; index += 4) {
        const { client } = index % 2 === 0 ? wrong : right
        if ((await client.call(history.deleteMediaFile, { channelid: 1_000_000 })).code !== 416) passed++
      }
    }
    await Promise.all([0, 1, 2, 3].map(ask))
    if (passed > removals) faults.push(`${passed} calls of ${removals} in a minute`)
    return passed
  }
  const tryKick = async (): Promise<void> => {
    for (const [index, [, by]] of pair.entries()) {
      const ear = ears[index]!
      const outs = ear.putOut()
      const role = { roomid, operator: 'cara', target: `ear-${index}`, opt: -1 } as const
      barred = true
      const from = performance.now()
      await must('a kick', by.client.call(chatrooms.setMemberRole, { ...role, optvalue: true }))
      await until('who is kicked is out', () => ear.putOut() > outs)
      if (performance.now() - from > patience.kick) faults.push('a kick took too long')
      await must('an end of it', by.client.call(chatrooms.setMemberRole, { ...role, optvalue: false }))
      barred = false
      await until('who was kicked is inside again', () => ear.isInside())
      await until('all are counted again', areCounted)
    }
  }
  /** A second push of each channel, at the other node, is refused. */
  const tryPushes = async (): Promise<void> => {
    for (const [index, [, other]] of pair.entries()) {
      const second = pushTo(other, channels[index]!.pushUrl)
      await until('a second push is refused', () => second.process.exitCode !== null, 20_000)
    }
  }

  try {
    await must('settings', right.client.call(local.updateSettings, { oneTimeCheckSum: true, localTargets: true }))
    // CheckSums of the second in which they began to be remembered are refused.
    await until('calls are taken', async () => {
      const answers = await Promise.all(nodes.map(({ client }) => client.call(local.settings, {})))
      return answers.every(({ code }) => code === 200)
    })
    await must('a receiver', right.client.call(local.setCopyTarget, { url: receiver.url, kinds: [4] }))
    await must('a receiver', right.client.call(local.setLiveCallback, { url: receiver.url }))
    for (const index of [0, 1])
      await must('an account', right.client.call(accounts.create, { accid: `muted-${index}` }))
    for (const [index, [node]] of pair.entries()) {
      const [accid, token] = [`ear-${index}`, `token-of-${index}`]
      await must('an account', right.client.call(accounts.create, { accid, token }))
      const person = signInPerson({ linkUrl: node.linkUrl, appKey: apartCredentials.appKey }, accid, token)
      ears.push(keepInside(person, roomid, () => !barred))
      const { cid, pushUrl } = (await right.client.call(live.create, { name: `pushed${node.name}` })).ret!
      channels.push({ cid, pushUrl })
      pushTo(node, pushUrl)
    }
    await until('both are inside', () => ears.every((ear) => ear.isInside()))
    await until('both are counted', areCounted)
    for (const { cid } of channels) await until('both are on air', () => isOnAir(cid))
  } catch (error) {
    await close()
    throw error
  }
  const figures: Record<string, number> = {}
  return {
    async during() {
      const from = performance.now()
      const skew = async (): Promise<number> => {
        const { headers } = await wrong.client.raw('/', { method: 'GET' })
        return Math.abs(Date.parse(String(headers['date'])) - Date.now())
      }
      await until('the clock of the node is wrong', async () => (await skew()) > 55_000)
      let isOver = false
      const look = async (): Promise<void> => {
        for (; !isOver; await wait(1000))
          for (const { cid } of channels) if (!(await isOnAir(cid))) faults.push('a push is not on air everywhere')
      }
      const looking = look().catch((error: unknown) => faults.push(String(error)))
      try {
        await holdMutes()
        await holdSlowMode()
        await tryCheckSums()
        figures['removals'] = await tryRates()
        await tryKick()
        await tryPushes()
        // Until then a service does not look for pushes that are gone, and each is seen again after 15 s.
        await wait(Math.max(0, 80_000 - (performance.now() - from)))
        if (!(await areCounted())) faults.push('not all are counted')
        if ((await skew()) < 55_000) faults.push('the clock was not wrong all the time')
      } finally {
        isOver = true
        await looking
      }
    },
    async after(said) {
      const lines = [...said.acknowledged.keys()]
      const missing = (): number =>
        ears.reduce((sum, ear) => {
          const heard = ear.heard()
          return sum + lines.filter((line) => !heard.has(line)).length
        }, 0)
      await until('all lines are heard', () => missing() === 0, patience.lines).catch(() => undefined)
      if (missing() > 0) faults.push(`${missing()} acknowledged lines were not heard`)
      if (unordered(said) > 0) faults.push(`${unordered(said)} lines are not in their order`)
      if (said.codes.some((code) => code !== 404)) faults.push(`calls were refused: ${said.codes.join(', ')}`)
      const copies = (): Map<string, number> => {
        const found = new Map<string, number>()
        for (const { fields } of receiver.received)
          if (said.acknowledged.has(fields['attach'] ?? ''))
            found.set(fields['attach']!, (found.get(fields['attach']!) ?? 0) + 1)
        return found
      }
      const isCopied = (): boolean => {
        const found = copies()
        return lines.every((line) => found.has(line))
      }
      await until('each line is copied', isCopied, patience.deliveries).catch(() => faults.push('a line is not copied'))
      figures['copies'] = copies().size
      const more = [...copies().values()].filter((count) => count > 1).length
      if (more > 0) faults.push(`${more} lines were copied more than once`)
      for (const { cid } of channels) {
        const told = receiver.received.flatMap(({ fields }) => (fields['cid'] === cid ? [fields['event']] : []))
        if (told.join() !== 'live.started') faults.push(`a push was told as ${told.join(', ')}`)
        if (!(await isOnAir(cid))) faults.push('a push is not on air')
      }
      return { faults: [...new Set(faults)], figures }
    },
    close,
  }
}
