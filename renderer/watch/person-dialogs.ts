import { askFor } from './dialogs.ts'
import type { Person } from './people.ts'

/** In characters. */
const maxNick = 20

/** Asks for another name. */
export const askForName = (nick: string, chosen: (name: string) => void): void =>
  askFor(
    { title: 'nameAction', action: 'save', fields: [{ label: 'name', type: 'text', most: maxNick, value: nick }] },
    ([name = nick]) => chosen(name),
  )

/** Asks for an account and its token. */
export const askToSignIn = (signedIn: (person: Person) => void): void => {
  const fields = [
    { label: 'account', type: 'text', most: 32 },
    { label: 'token', type: 'password', most: 128 },
  ] as const
  askFor({ title: 'signIn', action: 'signIn', note: 'signInNote', fields }, ([accid = '', token = '']) =>
    signedIn({ accid: accid.toLowerCase(), token, isGuest: false }),
  )
}
