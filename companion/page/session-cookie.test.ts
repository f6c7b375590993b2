import { expect, it } from 'vitest'
import { createSessionCookie } from './session-cookie.ts'

const session = 'a'.repeat(43)

it('sets a cookie of the port, which scripts and other sites do not get, and over TLS only where it has TLS', () => {
  const port = () => 8712
  expect(createSessionCookie(port, false).write(session)).toEqual({
    'set-cookie': `sidestage_8712=${session}; Path=/; HttpOnly; SameSite=Strict`,
  })
  expect(createSessionCookie(port, true).write(session)).toEqual({
    'set-cookie': `sidestage_8712=${session}; Path=/; HttpOnly; SameSite=Strict; Secure`,
  })
  expect(createSessionCookie(port, true).clear()).toEqual({
    'set-cookie': 'sidestage_8712=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0',
  })
})

it('reads every value of its name that has the form of a session, and no other cookie', () => {
  const { read } = createSessionCookie(() => 8712, false)
  const other = 'b'.repeat(43)
  expect([...read(`x=1; sidestage_8712=${session}; sidestage_87=${other};sidestage_8712 = ${other} `)]).toEqual([
    session,
    other,
  ])
  for (const header of [
    undefined,
    '',
    'sidestage_8712',
    `=${session}`,
    `sidestage_8712=${session}a`,
    `sidestage_8712=${'!'.repeat(43)}`,
    `xsidestage_8712=${session}`,
  ])
    expect([...read(header)], header).toEqual([])
})
