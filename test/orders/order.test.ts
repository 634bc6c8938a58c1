// Order numbers: short, with no two characters that look alike, and not countable.
import t from 'tap'
import { newOrderNumber } from '../../src/orders/order.ts'

const numbers = Array.from({ length: 5000 }, newOrderNumber)

t.test('a number is two groups of four, without 0, O, 1, I, L and U', t => {
  t.strictSame(
    numbers.filter(number => !/^[2-9A-HJKMNP-TV-Z]{4}-[2-9A-HJKMNP-TV-Z]{4}$/.test(number)),
    []
  )
  t.end()
})

t.test('numbers are unpredictable: unique, in random order, with every character in every position', t => {
  t.equal(new Set(numbers).size, numbers.length)
  const rising = numbers.filter((number, i) => i > 0 && number > String(numbers[i - 1])).length
  t.ok(rising > 2200 && rising < 2800, `${rising} of 5000 follow a smaller one`)
  for (const place of [0, 1, 2, 3, 5, 6, 7, 8]) {
    t.equal(new Set(numbers.map(number => number[place])).size, 30, `place ${place}`)
  }
  t.end()
})
