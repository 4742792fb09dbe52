import { DOCTOR_RENDERERS } from '../../../compiler/doctor/render.ts';
import type { AuthReport } from '../../../compiler/doctor/report.ts';

export function renderText(report: AuthReport): string {
  return DOCTOR_RENDERERS.text(report);
}
