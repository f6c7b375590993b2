import type { Access } from './access.ts'
import type { Players } from './players.ts'

/** Facts of who may watch a channel, as answers and events have them. */
export const accessFactsOf = (
  access: Pick<Access, 'row' | 'embedOrigins'>,
  players: Pick<Players, 'of'>,
  cid: string,
) => {
  const { mode, closed, passphrase } = access.row(cid)
  return {
    mode,
    closed: closed === 1,
    passphrase: passphrase !== null,
    embedOrigins: access.embedOrigins(cid),
    viewers: players.of(cid),
  }
}
