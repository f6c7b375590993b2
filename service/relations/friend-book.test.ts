import { describe, expect, it } from 'vitest'
import { createFriendBook } from './friend-book.ts'

const row = (accid: string, friend: string, changed = 1, uid = 1) => ({
  uid,
  accid,
  friend,
  alias: '',
  ex: '',
  changed,
})
const pair = (accid: string, friend: string, uid = 1) => ({ uid, accid, friend })
const request = (accid: string, friend: string, at = 1, uid = 1) => ({ ...pair(accid, friend, uid), at })

describe('sides of friendships', () => {
  it('are counted and listed of one account of one application, by their last change', () => {
    const book = createFriendBook({
      friends: [row('bob', 'eve', 3), row('bob', 'amy', 2), row('amy', 'bob', 2), row('bob', 'zoe', 1, 2)],
      requests: [],
    })
    expect(book.of(1, 'bob').map(({ friend }) => friend)).toEqual(['amy', 'eve'])
    expect([book.count(1, 'bob'), book.count(1, 'amy'), book.count(2, 'bob'), book.count(1, 'zoe')]).toEqual([
      2, 1, 1, 0,
    ])
    expect([book.side(pair('bob', 'amy'))?.changed, book.side(pair('amy', 'eve'))]).toEqual([2, undefined])
  })

  it('that are there stay as they are when they begin again, and change where they are there only', () => {
    const book = createFriendBook({ friends: [row('bob', 'amy')], requests: [] })
    book.apply({ friends: [{ ...row('bob', 'amy', 9), alias: 'new' }] })
    expect(book.side(pair('bob', 'amy'))).toMatchObject({ changed: 1, alias: '' })
    book.apply({
      renamed: [
        { ...pair('bob', 'amy'), alias: 'A' },
        { ...pair('bob', 'eve'), alias: 'E' },
      ],
    })
    expect(book.side(pair('bob', 'amy'))).toMatchObject({ alias: 'A', changed: 1 })
    expect(book.side(pair('bob', 'eve'))).toBeUndefined()
    book.apply({ ended: [pair('bob', 'amy')] })
    expect([book.count(1, 'bob'), book.of(1, 'bob')]).toEqual([0, []])
  })
})

describe('requests for friendships', () => {
  it('are those of the account that asked, until they are settled, of one application', () => {
    const book = createFriendBook({ friends: [], requests: [request('amy', 'bob')] })
    const both = [pair('amy', 'bob'), pair('bob', 'amy')] as const
    expect(book.asked(...both)).toEqual([pair('amy', 'bob')])
    expect(book.asked(pair('amy', 'bob', 2))).toEqual([])
    book.apply({ settled: [pair('bob', 'amy')] })
    expect(book.asked(...both)).toEqual([pair('amy', 'bob')])
    book.apply({ settled: [pair('amy', 'bob')] })
    expect(book.asked(...both)).toEqual([])
  })

  it('to one account are 1,000, beyond which the one is displaced that was asked longest ago', () => {
    const requests = Array.from({ length: 999 }, (_, index) => request(`a${index}`, 'bob', index))
    const book = createFriendBook({ friends: [], requests })
    expect(book.displaced(pair('new', 'bob'))).toEqual([])
    book.apply({ requests: [request('a999', 'bob', 999)] })
    expect(book.displaced(pair('new', 'bob'))).toEqual([pair('a0', 'bob')])
    expect([book.displaced(pair('a5', 'bob')), book.displaced(pair('new', 'amy'))]).toEqual([[], []])
    // Asking again counts as new.
    book.apply({ requests: [request('a0', 'bob', 1000)] })
    expect(book.displaced(pair('new', 'bob'))).toEqual([pair('a1', 'bob')])
  })
})
