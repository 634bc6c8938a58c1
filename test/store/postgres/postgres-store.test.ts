// The store suites on PostgreSQL.
import t from 'tap'
import { allSuites } from '../all-suites.ts'
import { openReused } from './opened.ts'

allSuites(t, 'PostgreSQL', openReused, openReused)
