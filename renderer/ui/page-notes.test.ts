import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it } from 'vitest'
import { usePageNotes } from './page-notes.ts'

beforeEach(() => {
  setActivePinia(createPinia())
})
const box = (name: string): HTMLElement => ({ name }) as unknown as HTMLElement

it('places notes at the end of a room, else below the screen, and nowhere without a place', () => {
  const notes = usePageNotes()
  const [frame, room] = [box('frame'), box('room')]
  expect(notes.place).toBeNull()
  const leaveRoom = notes.offer('room', room)
  expect(notes.place).toBe(room)
  const leaveFrame = notes.offer('frame', frame)
  expect(notes.place).toBe(room)
  leaveRoom()
  expect(notes.place).toBe(frame)
  leaveFrame()
  expect(notes.place).toBeNull()
})

it('keeps a place that another part offered since', () => {
  const notes = usePageNotes()
  const leave = notes.offer('room', box('first'))
  const next = box('next')
  notes.offer('room', next)
  leave()
  expect(notes.place).toBe(next)
})

it('counts the notes that are there', () => {
  const notes = usePageNotes()
  notes.came()
  notes.came()
  notes.went()
  expect(notes.count).toBe(1)
})
